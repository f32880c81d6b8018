// Meshes, specs and arrays for the tests of shardMap.
import { np, random, type Array } from "vibe-rl/array";
import type { NamedAxis } from "../../src/array/sharding/axes.js";

/** Devices arranged along axes, as shardMap sees a mesh. */
export const meshOf = (sizes: Record<string, number>): { readonly axes: readonly NamedAxis[] } => ({
  axes: Object.entries(sizes).map(([name, size]) => ({ name, size })),
});

/** What splits each dimension, as shardMap sees a partition spec. */
export class Spec {
  readonly entries: readonly (null | string | readonly string[])[];
  constructor(...entries: readonly (null | string | readonly string[])[]) {
    this.entries = entries;
  }
}
export const P = (...entries: readonly (null | string | readonly string[])[]): Spec => new Spec(...entries);

export const row = meshOf({ i: 4 });
export const grid = meshOf({ x: 2, y: 2 });
export const float64 = (shape: readonly number[], seed = 0): Array =>
  random.normal(random.key(seed), shape).astype("float64");
export const values = np.arange(32).reshape([8, 4]).astype("float32");
