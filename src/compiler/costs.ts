// What primitives cost, roughly: enough to decide what is worth keeping and what is worth computing again.

/** Rough relative cost of one element, in simple instructions. */
const costs: Record<string, number> = {
  div: 4,
  sqrt: 4,
  rem: 12,
  exp: 14,
  expm1: 20,
  log: 14,
  log1p: 20,
  tanh: 16,
  logistic: 18,
  logaddexp: 30,
  sin: 24,
  cos: 24,
  erf: 24,
  erfInv: 30,
  atan2: 30,
  pow: 50,
  fma: 8,
  threefry2x32: 110,
  gather: 6,
};

/** Views cost nothing but index arithmetic. */
export const views = new Set([
  "broadcast",
  "reshape",
  "transpose",
  "flip",
  "slice",
  "dynamicSlice",
  "window",
  "stopGradient",
  "barrier",
  "gammaSample",
  "iota",
]);

/** Primitives whose result is written out element by element from operands at the same indices. */
export const elementwise = new Set([
  ...["neg", "add", "sub", "mul", "fma", "div", "rem", "pow", "max", "min", "relu", "abs", "sign"],
  ...["floor", "ceil", "trunc", "round", "exp", "expm1", "log", "log1p", "sqrt", "sin", "cos", "tanh"],
  ...["logistic", "logaddexp", "erf", "erfInv", "atan2", "equal", "notEqual", "less", "lessEqual"],
  ...["and", "or", "xor", "not", "shiftLeft", "shiftRightLogical", "shiftRightArithmetic"],
  ...["select", "convert", "bitcast", "threefry2x32"],
]);

/** The cost of one element of a primitive's result. */
export const costOf = (name: string): number => (views.has(name) ? 0 : (costs[name] ?? 1));
