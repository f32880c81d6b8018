// Reductions of NaN, infinities and nothing, masked or not, and their derivatives.
import { grad, lax, nn, np, type Array } from "vibe-rl/array";
import type { Cases } from "./cases.js";

export const reductionCases: Cases = new Map();

const rows = {
  plain: np.array([
    [1, -2, 3],
    [0.5, 0.5, -0.25],
  ]),
  nan: np.array([
    [1, NaN, 3],
    [0, -0, 0],
  ]),
  inf: np.array([
    [Infinity, 1, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ]),
  infBoth: np.array([
    [Infinity, -Infinity, 0],
    [0, Infinity, 2],
  ]),
  empty: np.zeros([2, 0]),
  noRows: np.zeros([0, 3]),
};
const mask = np.bool([
  [true, false, true],
  [false, false, false],
]);
const reductions: Record<string, (x: Array) => Array> = {
  sum: (x) => np.sum(x, 1),
  prod: (x) => np.prod(x, 1),
  mean: (x) => np.mean(x, 1),
  var: (x) => np.var(x, 1),
  std: (x) => np.std(x, 1),
  max: (x) => np.max(x, 1),
  min: (x) => np.min(x, 1),
  argmax: (x) => np.argmax(x, 1),
  argmin: (x) => np.argmin(x, 1),
  any: (x) => np.any(x, 1),
  all: (x) => np.all(x, 1),
  logsumexp: (x) => nn.logsumexp(x, 1),
  softmax: (x) => nn.softmax(x, 1),
  logSoftmax: (x) => nn.logSoftmax(x, 1),
  cumsum: (x) => np.cumsum(x, 1),
  cumprod: (x) => np.cumprod(x, 1),
  sort: (x) => np.sort(x, 1),
  argsort: (x) => np.argsort(x, 1),
  countNonzero: (x) => np.countNonzero(x, 1),
  norm: (x) => np.linalg.norm(x, null, 1),
  normOne: (x) => np.linalg.norm(x, 1, 1),
  normInf: (x) => np.linalg.norm(x, Infinity, 1),
  normMinusInf: (x) => np.linalg.norm(x, -Infinity, 1),
  normZero: (x) => np.linalg.norm(x, 0, 1),
  normThree: (x) => np.linalg.norm(x, 3, 1),
  normMinusTwo: (x) => np.linalg.norm(x, -2, 1),
  varOne: (x) => np.var(x, 1, { ddof: 1 }),
  varThree: (x) => np.var(x, 1, { ddof: 3 }),
  cummax: (x) => lax.cummax(x, 1),
  cummin: (x) => lax.cummin(x, 1),
};
const weights = np.array([0.7, -1.3, 0.4]);
for (const [label, x] of Object.entries(rows)) {
  for (const [name, f] of Object.entries(reductions)) {
    reductionCases.set(`${name} of ${label}`, () => f(x));
    const weighted = (v: Array) => {
      const out = f(v);
      return out.ndim === 2 ? out.mul(weights.slice(`:${out.shape[1]}`)).sum() : out.sum();
    };
    reductionCases.set(`${name}' of ${label}`, () => grad(weighted)(x));
  }
}
for (const name of ["sum", "prod", "mean", "var", "std", "any", "all"] as const) {
  reductionCases.set(`${name} where`, () => np[name](rows.plain, 1, { where: mask }));
  reductionCases.set(`${name} where, of nan`, () => np[name](rows.nan, 1, { where: mask, keepdims: true }));
}
for (const name of ["max", "min"] as const) {
  reductionCases.set(`${name} where`, () => np[name](rows.plain, 1, { where: mask, initial: 0.25 }));
  reductionCases.set(`${name} where without initial`, () => np[name](rows.plain, 1, { where: mask }));
  reductionCases.set(`${name} initial of empty`, () => np[name](rows.empty, 1, { initial: 2 }));
  reductionCases.set(`${name} of empty, all axes`, () => np[name](rows.empty));
}
const single: Record<string, () => unknown> = {
  "sum initial": () => np.sum(rows.plain, 1, { initial: 10 }),
  "prod initial": () => np.prod(rows.plain, 1, { initial: 10 }),
  "sum where'": () => grad((x: Array) => np.sum(x, null, { where: mask }))(rows.nan),
  "mean where'": () => grad((x: Array) => np.mean(x, null, { where: mask }))(rows.plain),
  "softmax of all axes": () => nn.softmax(rows.plain, [0, 1]),
  "logsumexp of nothing": () => nn.logsumexp(np.zeros([0])),
  "mean of nothing": () => np.mean(np.zeros([0])),
  standardize: () => nn.standardize(rows.plain),
  "standardize of equal": () => nn.standardize(np.ones([2, 3])),
  oneHot: () => nn.oneHot(np.int32([0, 2, -1, 3]), 3),
  "lax.cumsum": () => lax.cumsum(rows.plain),
  "lax.cumsum reverse": () => lax.cumsum(rows.plain, 1, { reverse: true }),
  "cumsum of a number": () => np.cumsum(5, 0),
  "cumsum of a scalar": () => np.cumsum(np.float32(5), 0),
  "cumsum of a scalar, flattened": () => np.cumsum(np.float32(5)),
  "sum of a scalar along 0": () => np.sum(np.float32(5), 0),
  "sort of a scalar": () => np.sort(np.float32(5)),
  "argmax of a scalar": () => np.argmax(np.float32(5)),
  "softmax of a scalar": () => nn.softmax(np.float32(5)),
};
for (const [name, f] of Object.entries(single)) reductionCases.set(name, f);
