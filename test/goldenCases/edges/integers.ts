// Integers and bool: the ends of their ranges, and division by zero.
import { lax, nn, np, type Array, type DType } from "vibe-rl/array";
import { pairs, type Cases, type Function } from "./cases.js";

export const integerCases: Cases = new Map();

const integers: Partial<Record<DType, Array>> = {
  int32: np.int32([0, 1, -1, 2, 5, -5, 7, 31, 32, 2147483647, -2147483648]),
  uint32: np.uint32([0, 1, 2, 5, 7, 31, 32, 2147483647, 2147483648, 4294967295]),
  uint8: np.uint8([0, 1, 2, 5, 7, 8, 100, 127, 128, 255]),
  bool: np.bool([false, true]),
};
const integerUnary: Record<string, Function> = {
  abs: np.abs,
  sign: np.sign,
  negative: np.negative,
  square: np.square,
  sqrt: np.sqrt,
  round: (x) => np.round(x),
  floor: np.floor,
  bitwiseNot: np.bitwiseNot,
  logicalNot: np.logicalNot,
  isnan: np.isnan,
  isfinite: np.isfinite,
  reciprocal: np.reciprocal,
  relu: nn.relu,
  astypeInt32: (x) => x.astype("int32"),
  astypeUint32: (x) => x.astype("uint32"),
  astypeUint8: (x) => x.astype("uint8"),
  astypeFloat32: (x) => x.astype("float32"),
  power3: (x) => np.power(x, 3),
  sum: (x) => np.sum(x),
  prod: (x) => np.prod(x),
  mean: (x) => np.mean(x),
  max: (x) => np.max(x),
  min: (x) => np.min(x),
  cumsum: (x) => np.cumsum(x),
  cumprod: (x) => np.cumprod(x),
  argmax: (x) => np.argmax(x),
  argmin: (x) => np.argmin(x),
  sort: (x) => np.sort(x),
  var: (x) => np.var(x),
  std: (x) => np.std(x),
  any: (x) => np.any(x),
  all: (x) => np.all(x),
  cummax: (x) => lax.cummax(x),
  cummin: (x) => lax.cummin(x),
};
const integerBinary: Record<string, Function> = {
  multiply: np.multiply,
  divide: np.divide,
  floorDivide: np.floorDivide,
  mod: np.mod,
  rem: lax.rem,
  div: lax.div,
  leftShift: np.leftShift,
  rightShift: np.rightShift,
  shiftRightLogical: lax.shiftRightLogical,
};
for (const [dtype, values] of Object.entries(integers)) {
  const [a, b] = pairs(values);
  for (const [name, f] of Object.entries(integerUnary)) integerCases.set(`${dtype} ${name}`, () => f(values));
  for (const [name, f] of Object.entries(integerBinary))
    integerCases.set(`${dtype} ${name} pairs`, () => f(a, b));
}
