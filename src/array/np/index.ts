// `np`: NumPy's names, as jax.numpy has them.
import * as linalg from "./linalg.js";

export { linalg };
export {
  arange,
  array,
  asarray,
  bool,
  eye,
  float32,
  float64,
  full,
  fullLike,
  int32,
  linspace,
  ones,
  onesLike,
  tril,
  triu,
  uint32,
  uint8,
  zeros,
  zerosLike,
  type ArrayData,
} from "./creation.js";
export {
  argwhere,
  bincount,
  flatnonzero,
  nonzero,
  unique,
  type BincountOptions,
  type SizeOptions,
  type UniqueOptions,
} from "./counting.js";
export { allclose, isin, select } from "./choosing.js";
export { cross, type CrossOptions } from "./cross.js";
export { cummax, cummin, cumprod, cumsum } from "./cumulative.js";
export { diff, interp, trapezoid, type DiffOptions, type InterpOptions } from "./differences.js";
export { diag, diagonal, trace } from "./diagonals.js";
export { einsum } from "./einsum.js";
export * from "./elementwise.js";
export * from "./realFunctions.js";
export { geomspace, indices, logspace, meshgrid, tri, type MeshgridOptions } from "./grids.js";
export * from "./inverseFunctions.js";
export { slice, type Index, type Range } from "./indexing.js";
export { concatenate, hstack, split, stack, vstack } from "./joining.js";
export { nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar } from "./nanReductions.js";
export { pad, type PadOptions, type PadWidth } from "./padding.js";
export { dot, inner, matmul, outer, tensordot, vdot } from "./products.js";
export { median, percentile, quantile, type QuantileOptions } from "./quantiles.js";
export {
  all,
  any,
  argmax,
  argmin,
  arrayEqual,
  countNonzero,
  max,
  mean,
  min,
  prod,
  std,
  sum,
  var_ as var,
} from "./reductions.js";
export {
  broadcastTo,
  expandDims,
  flip,
  moveaxis,
  permuteDims,
  ravel,
  reshape,
  squeeze,
  swapaxes,
  tile,
  transpose,
} from "./shaping.js";
export { repeat, roll, type RepeatOptions } from "./rolling.js";
export * from "./signs.js";
export { argsort, sort } from "./sorting.js";
export { append, arraySplit, dsplit, hsplit, unstack, vsplit } from "./splitting.js";
export { average, corrcoef, cov, type CovarianceOptions } from "./statistics.js";
export { searchsorted, take, takeAlongAxis } from "./taking.js";

export const pi = Math.PI;
export const e = Math.E;
export const inf = Infinity;
export const nan = NaN;
/** In an index, a new axis of extent 1. */
export const newaxis = null;
