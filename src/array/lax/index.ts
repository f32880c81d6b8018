// `lax`: control flow and the operations below NumPy's.
export { associativeScan, type AssociativeScanOptions } from "./associativeScan.js";
export { cond, switch } from "./branches.js";
export {
  allGather,
  allToAll,
  axisIndex,
  axisSize,
  pmax,
  pmean,
  pmin,
  ppermute,
  psum,
  psumScatter,
  type AllGatherOptions,
  type AllToAllOptions,
  type AxisNames,
  type PsumScatterOptions,
} from "./collectives.js";
export { cummax, cummin, cumprod, cumsum } from "./cumulative.js";
export {
  convGeneralDilated,
  convTranspose,
  type ConvolutionOptions,
  type TransposedOptions,
} from "./convolution.js";
export type { DimensionNumbers } from "./convolutionAxes.js";
export type { Padding } from "./padding.js";
export { reduceWindow, type ReduceWindowOptions } from "./windows.js";
export { erfc } from "../np/errorFunction.js";
export { digamma, lgamma } from "../np/gammaFunction.js";
export { withShardingConstraint } from "../sharding/place.js";
export { foriLoop, map, scan, whileLoop, type ScanOptions } from "./loops.js";
export {
  bitcastConvertType,
  broadcastInDim,
  clamp,
  convertElementType,
  div,
  dotGeneral,
  dynamicIndexInDim,
  dynamicSlice,
  dynamicSliceInDim,
  dynamicUpdateIndexInDim,
  dynamicUpdateSlice,
  dynamicUpdateSliceInDim,
  erf,
  erfInv,
  iota,
  logistic,
  rem,
  rsqrt,
  select,
  shiftLeft,
  shiftRightArithmetic,
  shiftRightLogical,
  sort,
  stopGradient,
  topK,
} from "./operators.js";
