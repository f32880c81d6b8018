// Functions of one, two and three real variables, and their derivatives.
import { grad, lax, nn, np, vmap, type Array } from "vibe-rl/array";
import { pairs, type Cases, type Function } from "./cases.js";

export const realCases: Cases = new Map();

export const real = np.array([
  0,
  -0,
  1e-5,
  -1e-5,
  0.3,
  -0.3,
  0.5,
  -0.5,
  0.99999994,
  1,
  -1,
  1.5,
  2,
  -2,
  3,
  6,
  -6,
  9,
  -10,
  20,
  -20,
  45,
  88,
  -88,
  89,
  90,
  -90,
  1000,
  -1000,
  1e-30,
  -1e-30,
  1e10,
  -1e10,
  1e20,
  -1e20,
  3.4028235e38,
  -3.4028235e38,
  Infinity,
  -Infinity,
  NaN,
]);
const unary: Record<string, Function> = {
  abs: np.abs,
  sign: np.sign,
  negative: np.negative,
  floor: np.floor,
  ceil: np.ceil,
  trunc: np.trunc,
  round: (x) => np.round(x),
  exp: np.exp,
  expm1: np.expm1,
  exp2: np.exp2,
  log: np.log,
  log1p: np.log1p,
  log2: np.log2,
  log10: np.log10,
  sqrt: np.sqrt,
  rsqrt: lax.rsqrt,
  sin: np.sin,
  cos: np.cos,
  tan: np.tan,
  arcsin: np.arcsin,
  arccos: np.arccos,
  arctan: np.arctan,
  sinh: np.sinh,
  cosh: np.cosh,
  tanh: np.tanh,
  erf: lax.erf,
  erfInv: lax.erfInv,
  logistic: lax.logistic,
  square: np.square,
  reciprocal: np.reciprocal,
  nanToNum: (x) => np.nanToNum(x),
  isnan: np.isnan,
  isinf: np.isinf,
  isfinite: np.isfinite,
  relu: nn.relu,
  relu6: nn.relu6,
  leakyRelu: (x) => nn.leakyRelu(x),
  elu: (x) => nn.elu(x),
  gelu: (x) => nn.gelu(x),
  geluExact: (x) => nn.gelu(x, { approximate: false }),
  silu: nn.silu,
  softplus: nn.softplus,
  sigmoid: nn.sigmoid,
  logSigmoid: nn.logSigmoid,
  power0: (x) => np.power(x, 0),
  power2: (x) => np.power(x, 2),
  power3: (x) => np.power(x, 3),
  power7: (x) => np.power(x, 7),
  powerMinus1: (x) => np.power(x, -1),
  powerMinus2: (x) => np.power(x, -2),
  powerMinus3: (x) => np.power(x, -3),
  powerHalf: (x) => np.power(x, 0.5),
  clip: (x) => np.clip(x, -1, 2),
  clipLow: (x) => np.clip(x, -1),
  clipHigh: (x) => np.clip(x, null, 2),
  clamp: (x) => lax.clamp(-1, x, 2),
  modOne: (x) => np.mod(x, 1),
  floorDivideThree: (x) => np.floorDivide(x, 3),
  roundOne: (x) => np.round(x, 1),
  astypeInt32: (x) => x.astype("int32"),
  astypeUint32: (x) => x.astype("uint32"),
  astypeUint8: (x) => x.astype("uint8"),
  astypeBool: (x) => x.astype("bool"),
};
for (const [name, f] of Object.entries(unary)) {
  realCases.set(name, () => f(real));
  realCases.set(`${name}'`, () => vmap(grad((x: Array) => f(x)))(real));
}

export const [left, right] = pairs(np.array([0, -0, 1, -1, 2.5, -2.5, Infinity, -Infinity, NaN]));
const binary: Record<string, Function> = {
  add: np.add,
  subtract: np.subtract,
  multiply: np.multiply,
  divide: np.divide,
  maximum: np.maximum,
  minimum: np.minimum,
  mod: np.mod,
  floorDivide: np.floorDivide,
  power: np.power,
  arctan2: np.arctan2,
  hypot: np.hypot,
  logaddexp: np.logaddexp,
  rem: lax.rem,
  equal: np.equal,
  less: np.less,
  lessEqual: np.lessEqual,
  isclose: (x, y) => np.isclose(x, y),
  logicalAnd: np.logicalAnd,
};
for (const [name, f] of Object.entries(binary)) {
  realCases.set(name, () => f(left, right));
  const both = (x: Array, y: Array) => f(x, y);
  realCases.set(`${name} by the first`, () => vmap(grad(both))(left, right));
  realCases.set(`${name} by the second`, () => vmap(grad(both, { argnums: 1 }))(left, right));
}
const few = np.array([-1, 0, 1, NaN]);
export const triples = [np.repeat(few, 16), np.tile(np.repeat(few, 4), 4), np.tile(few, 16)] as const;
realCases.set("lax.clamp", () => lax.clamp(...triples));
for (const argnums of [0, 1, 2] as const) {
  realCases.set(`lax.clamp by ${argnums}`, () =>
    vmap(grad((low: Array, x: Array, high: Array) => lax.clamp(low, x, high), { argnums }))(...triples),
  );
}
