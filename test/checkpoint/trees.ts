// Trees that the checkpoint tests save.
import { Array, np, random, tree } from "vibe-rl/array";

/** One array of every dtype, nested, with plain values beside them. */
export const sampleTree = (seed = 0) => ({
  params: {
    layers: [
      { w: random.normal(random.key(seed), [3, 2]), b: np.zeros([2]) },
      { w: np.full([1], seed), b: np.zeros([0, 4]) },
    ],
    scale: np.float64([0.1, Math.PI]),
  },
  rng: random.key(seed + 1),
  image: np.uint8(new Uint8Array([0, 128, 255])),
  mask: np.bool([true, false, true]),
  count: np.int32(-7 - seed),
  episodes: 12 + seed,
  best: -Infinity,
  name: "run",
  isDone: false,
  ring: Float32Array.of(1, 2, seed),
  nothing: null,
});

/** What stands where in a tree, arrays as type and elements, so that tests compare bits. */
export function readable(of: unknown): Record<string, string> {
  const found: Record<string, string> = {};
  tree.mapWithPath((path: string, leaf: unknown) => {
    if (leaf instanceof Array) {
      found[path] =
        `${leaf.dtype}[${leaf.shape.join()}] ${leaf.weakType ? "weak" : ""} ${leaf.data().join()}`;
    } else {
      found[path] = ArrayBuffer.isView(leaf)
        ? `${leaf.constructor.name} ${(leaf as Float32Array).join()}`
        : String(leaf);
    }
  }, of);
  return found;
}
