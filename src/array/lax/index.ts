// `lax`: control flow and the operations below NumPy's.
export { associativeScan, type AssociativeScanOptions } from "./associativeScan.js";
export { cond, switch } from "./branches.js";
export { cummax, cummin, cumprod, cumsum } from "./cumulative.js";
export { convGeneralDilated, type ConvolutionOptions, type Padding } from "./convolution.js";
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
