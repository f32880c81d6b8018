// Elementwise functions of floats by how accurate they are, and numbers to try them on.
import { lax, nn, np, random, type Array } from "vibe-rl/array";
import { denseFloats, pairsOf, specialFloats } from "./samples.js";

export type Unary = (x: Array) => Array;
export type Binary = (x: Array, y: Array) => Array;

/** Rounded once, as IEEE 754 demands, or not at all. */
export const exactUnary: Record<string, Unary> = {
  sqrt: np.sqrt,
  abs: np.abs,
  negative: np.negative,
  sign: np.sign,
  floor: np.floor,
  ceil: np.ceil,
  trunc: np.trunc,
  round: (x) => np.round(x),
  "round to hundredths": (x) => np.round(x, 2),
  square: np.square,
  reciprocal: np.reciprocal,
  "quotient by 1.1": (x) => x.div(1.1),
  "quotient by a small number": (x) => x.div(-3e-33),
  "quotient by a large number": (x) => x.div(7e33),
  rsqrt: lax.rsqrt,
  cube: (x) => x.pow(3),
  "power -3": (x) => x.pow(-3),
  "power 0": (x) => x.pow(0),
  leakyRelu: (x) => nn.leakyRelu(x),
  nanToNum: (x) => np.nanToNum(x),
  isnan: np.isnan,
  isinf: np.isinf,
  isfinite: np.isfinite,
  logicalNot: np.logicalNot,
  clamp: (x) => lax.clamp(-1, x, 1),
  mod: (x) => x.mod(2.5),
  "mod of a constant": (x) => np.mod(2.5, x),
  floorDivide: (x) => x.floorDivide(0.7),
};

/** Which zero comes out of two different ones is left open. */
export const withAnyZero: Record<string, Unary> = {
  relu: nn.relu,
  relu6: nn.relu6,
  clip: (x) => x.clip(-1, 1),
  "maximum with zero": (x) => np.maximum(x, 0),
  "minimum with zero": (x) => np.minimum(0, x),
  "maximum with NaN": (x) => np.maximum(x, NaN),
};

/** Through polynomials. */
export const smoothUnary: Record<string, Unary> = {
  exp: np.exp,
  expm1: np.expm1,
  log: np.log,
  log1p: np.log1p,
  sin: np.sin,
  cos: np.cos,
  tan: np.tan,
  tanh: np.tanh,
  erf: lax.erf,
  erfInv: lax.erfInv,
  logistic: lax.logistic,
  arctan: np.arctan,
  arcsin: np.arcsin,
  arccos: np.arccos,
  sinh: np.sinh,
  cosh: np.cosh,
  log2: np.log2,
  log10: np.log10,
  exp2: np.exp2,
  elu: (x) => nn.elu(x),
  softplus: nn.softplus,
  logSigmoid: nn.logSigmoid,
  "power 0.5": (x) => np.power(x, 0.5),
  "power -2.5": (x) => np.power(x, -2.5),
  "power of a constant": (x) => np.power(2.5, x),
  "logaddexp with a constant": (x) => np.logaddexp(x, 1.5),
  "arctan2 of a constant": (x) => np.arctan2(-2, x),
};

/** A factor of these is a small difference of larger numbers, or close to the smallest numbers. */
export const productUnary: Record<string, { readonly f: Unary; readonly atol: number }> = {
  gelu: { f: (x) => nn.gelu(x), atol: 1e-6 },
  "exact gelu": { f: (x) => nn.gelu(x, { approximate: false }), atol: 1e-6 },
  silu: { f: nn.silu, atol: 1e-40 },
};

const withoutFarTurns = np.where(denseFloats.abs().greater(1e5), 1e5, denseFloats);

/** Every kind of number that a function of `smoothUnary` is accurate for. */
export const sampleFor = (name: string): Array =>
  ["sin", "cos", "tan"].includes(name) ? withoutFarTurns : denseFloats;

/** Rounded once, or not at all. */
export const exactBinary: Record<string, Binary> = {
  add: np.add,
  subtract: np.subtract,
  multiply: np.multiply,
  divide: np.divide,
  rem: lax.rem,
  mod: np.mod,
  floorDivide: np.floorDivide,
  equal: np.equal,
  notEqual: np.notEqual,
  less: np.less,
  lessEqual: np.lessEqual,
  greater: np.greater,
  greaterEqual: np.greaterEqual,
  isclose: (x, y) => np.isclose(x, y),
  logicalAnd: np.logicalAnd,
  logicalXor: np.logicalXor,
  where: (x, y) => np.where(x.less(y), x, y),
};

/** Through polynomials. */
export const smoothBinary: Record<string, Binary> = {
  power: np.power,
  arctan2: np.arctan2,
  hypot: np.hypot,
};

/** Pairs of numbers: of special ones, of any, and of such with large quotients. */
export const specialPairs = pairsOf(specialFloats, "float32");
export const mixedPairs = [2, 3].map((seed) => random.permutation(random.key(seed), denseFloats)) as [
  Array,
  Array,
];
// Quotients from about 1 up to 2^32, near whole numbers and not.
export const multiples: [Array, Array] = (() => {
  const divisor = random.uniform(random.key(4), [2000], { minval: 0.5, maxval: 2 });
  const factor = np.exp(random.uniform(random.key(5), [2000], { maxval: 22 }));
  return [np.where(np.arange(2000).mod(2).equal(0), np.round(factor), factor).mul(divisor), divisor];
})();
