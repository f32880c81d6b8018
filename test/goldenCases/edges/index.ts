// The edges of functions and of their derivatives: zeros of both signs, infinities, NaN, ties, empty axes, the ends
// of integer dtypes. tools/golden/edges.py has the same cases in JAX, by the same names.
import type { Tolerance } from "../../closeness.js";
import { branchCases } from "./branches.js";
import { integerCases } from "./integers.js";
import { normCases } from "./norms.js";
import { positionCases } from "./positions.js";
import { left, real, realCases, right, triples } from "./real.js";
import { reductionCases } from "./reductions.js";

export const edgeCases: ReadonlyMap<string, () => unknown> = new Map([
  ...realCases,
  ...integerCases,
  ...reductionCases,
  ...normCases,
  ...positionCases,
  ...branchCases,
]);

const [points, x, y, low] = [real, left, right, triples[0]].map((array) => [...array.data()]);

/** Elements that are not compared, and why. */
export const elementsLeftOut: Record<string, (at: number) => boolean> = {
  // The sign of an infinity at -0.
  "rsqrt'": (at) => Object.is(points[at], -0),
  // Where the value is NaN, JAX has infinite derivatives.
  "mod by the second": (at) => y[at] === 0 || Math.abs(x[at]) === Infinity,
  "rem by the second": (at) => y[at] === 0 || Math.abs(x[at]) === Infinity,
  "lax.clamp by 2": (at) => Number.isNaN(low[at]),
  // x⁰ is constant in x; JAX has NaN at 0 unless the exponent is an integer.
  "power by the first": (at) => y[at] === 0,
  // With infinities the derivatives are 0, ½ or 1; JAX's may be any number.
  "logaddexp by the first": (at) => [x[at], y[at]].some((operand) => Math.abs(operand) === Infinity),
  "logaddexp by the second": (at) => [x[at], y[at]].some((operand) => Math.abs(operand) === Infinity),
};

/** Whole cases that differ, and why. */
export const casesLeftOut: Record<string, string> = {
  "int32 mean": "the interpreter adds in double precision",
  "bool round": "refused by JAX, bool here",
  "bool cummax": "refused by JAX, int32 here",
  "bool cummin": "refused by JAX, int32 here",
  "cumsum of a scalar": "refused by JAX unless it is a plain number, a vector of one here as in NumPy",
  "cummax' of inf": "ties are shared in another order",
};

/** Less accurate in JAX, or a difference of nearly equal numbers. */
export const tolerances: Record<string, Tolerance> = {
  "tanh'": { rtol: 2e-5, atol: 3e-7 },
  "logistic'": { rtol: 2e-5, atol: 3e-7 },
  "sigmoid'": { rtol: 2e-5, atol: 3e-7 },
  "norm -2 of singular": { atol: 1e-6 },
};
