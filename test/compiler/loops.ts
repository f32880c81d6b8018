// Arguments and programs for tests of loops and branches.
import { it } from "vitest";
import { np, type Array } from "vibe-rl/array";
import type { Tolerance } from "../closeness.js";
import { expectSame, wholeNumbers, type Computation } from "./compare.js";

/** Two matrices, a vector and a number: what the programs below are called with. */
export const loopArguments: readonly [a: Array, b: Array, v: Array, n: Array] = [
  wholeNumbers([6, 10]),
  wholeNumbers([6, 10], "float32", 2),
  wholeNumbers([10], "float32", 3),
  np.int32(3),
];

export type Pair = [Array, Array];
export type Triple = [Array, Array, Array];

/** A test for each of some programs: compiled, it gives the interpreter's answer. */
export function itIsSame(
  programs: Record<string, Computation>,
  tolerance: Tolerance = { rtol: 1e-5, atol: 1e-5 },
): void {
  it.each(Object.entries(programs))("%s", (_, f) => expectSame(f, loopArguments, tolerance));
}
