// Functions of a real variable are within 4 float32 ulp of the float64 truth.
import { describe, expect, it } from "vitest";
import { lax, nn, np, type Array } from "vibe-rl/array";
import { numbersOf, readGolden, toArray, type GoldenArray } from "../golden.js";

const functions: Record<string, (x: Array) => Array> = {
  exp: np.exp,
  log: np.log,
  log1p: np.log1p,
  expm1: np.expm1,
  tanh: np.tanh,
  sin: np.sin,
  cos: np.cos,
  sqrt: np.sqrt,
  logistic: nn.sigmoid,
  softplus: nn.softplus,
  erf: lax.erf,
  abs: np.abs,
  floor: np.floor,
  sign: np.sign,
  reciprocal: np.reciprocal,
};

/** The distance between neighbouring float32 numbers around x. */
function ulp(x: number): number {
  const exponent = x === 0 ? -126 : Math.max(-126, Math.floor(Math.log2(Math.abs(x))));
  return 2 ** (exponent - 23);
}

export function isAccurate(actual: number, truth: number): boolean {
  const rounded = Math.fround(truth);
  if (Number.isNaN(truth) || !Number.isFinite(rounded)) return Object.is(actual, rounded);
  return Math.abs(actual - truth) <= Math.max(4 * ulp(truth), 2e-6 * Math.abs(truth));
}

describe("elementwise functions are accurate", () => {
  for (const { fn, x, y64 } of readGolden<{ fn: string; x: GoldenArray; y64: GoldenArray }>(
    "elementwise.json",
  )) {
    it(fn, () => {
      const actual = [...functions[fn](toArray(x)).data()];
      const inputs = numbersOf(x);
      numbersOf(y64).forEach((truth, at) => {
        expect(isAccurate(actual[at], truth), `${fn}(${inputs[at]}) = ${actual[at]}, truth ${truth}`).toBe(
          true,
        );
      });
    });
  }
});
