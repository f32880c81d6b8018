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
export { cummax, cummin, cumprod, cumsum } from "./cumulative.js";
export { diag, diagonal, trace } from "./diagonals.js";
export { einsum } from "./einsum.js";
export * from "./elementwise.js";
export * from "./realFunctions.js";
export { slice, type Index, type Range } from "./indexing.js";
export { concatenate, hstack, split, stack, vstack } from "./joining.js";
export { dot, inner, matmul, outer, tensordot, vdot } from "./products.js";
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
  pad,
  permuteDims,
  ravel,
  repeat,
  reshape,
  roll,
  squeeze,
  swapaxes,
  tile,
  transpose,
  type PadWidth,
} from "./shaping.js";
export { argsort, sort } from "./sorting.js";
export { searchsorted, take, takeAlongAxis } from "./taking.js";

export const pi = Math.PI;
export const e = Math.E;
export const inf = Infinity;
export const nan = NaN;
/** In an index, a new axis of extent 1. */
export const newaxis = null;
