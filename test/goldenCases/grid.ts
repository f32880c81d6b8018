// Inputs that every language makes alike, and a loss that tells elements apart.
import { np, type Array } from "vibe-rl/array";

/** A computation for each name of test/golden/linalg.json. */
export type Cases = Map<string, () => unknown>;

/** An array of numbers between -2 and 2 without pattern, from whole numbers. */
export const grid = (shape: readonly number[], seed: number): Array => {
  const size = shape.reduce((product, extent) => product * extent, 1);
  const numbers = globalThis.Array.from(
    { length: size },
    (_, i) => ((i * 37 + seed * 101 + i * i * 13) % 97) / 24 - 2,
  );
  return np.array(numbers).reshape(shape);
};

/** The sum of the elements, the first once, the second twice, … */
export const weigh = (x: Array): Array => x.mul(np.arange(1, x.size + 1).reshape(x.shape)).sum();
