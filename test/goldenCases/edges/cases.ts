// What the edge cases are made of.
import { np, type Array } from "vibe-rl/array";

/** A computation for each name of test/golden/edges.json. */
export type Cases = Map<string, () => unknown>;

export type Function = (...args: Array[]) => Array;

/** Every pair of elements, as two vectors. */
export const pairs = (x: Array): [Array, Array] => [np.repeat(x, x.size), np.tile(x, x.size)];
