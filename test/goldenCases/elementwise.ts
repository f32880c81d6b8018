// Functions of a real variable, and their float64 truth.
import { expect } from "vitest";
import { lax, nn, np, type Array } from "vibe-rl/array";
import { isNear } from "../closeness.js";
import { numbersOf, readGolden, toArray, type GoldenArray } from "../golden.js";
import type { GoldenCase } from "./goldenCase.js";

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

/** Functions with a zero where the number before is not zero: close to it the last digits are lost. */
const withZeros = ["sin", "cos", "log"];

function isAccurate(fn: string, x: number, actual: number, truth: number): boolean {
  const rounded = Math.fround(truth);
  if (!Number.isFinite(rounded)) return Object.is(actual, rounded);
  // Of so many turns a float32 has hardly a digit of the angle left.
  if ((fn === "sin" || fn === "cos") && Math.abs(x) > 1e5) return Math.abs(actual) <= 1;
  const isNearZero = withZeros.includes(fn) && Math.abs(truth) < 0.01;
  return isNear(actual, truth, isNearZero ? { rtol: 2e-6 } : { ulps: 4 });
}

interface ElementwiseCase {
  readonly fn: string;
  readonly x: GoldenArray;
  readonly y64: GoldenArray;
}

export const elementwiseCases = readGolden<ElementwiseCase>("elementwise.json").map(
  ({ fn, x, y64 }): GoldenCase => ({
    name: fn,
    f: functions[fn],
    args: [toArray(x)],
    check: (result) => {
      const inputs = numbersOf(x);
      const actual = [...(result as Array).data()];
      const wrong = numbersOf(y64).flatMap((truth, at) =>
        isAccurate(fn, inputs[at], actual[at], truth)
          ? []
          : [`${fn}(${inputs[at]}) = ${actual[at]}, truth ${truth}`],
      );
      expect(wrong).toEqual([]);
    },
  }),
);
