// What runs on several devices need beside their mesh: counting devices, copies for each, and keys for each.
import {
  Array,
  check,
  devicePut,
  fail,
  howToGetDevices,
  localDeviceCount,
  np,
  random,
  rules,
  tree,
  type Mesh,
} from "../array/index.js";
import { dataSharding, replicateSharding } from "../sharding/index.js";

/** The number of devices there are, or the one that was requested if there are as many. */
export function getNumDevices(requested: number | null = null, platform = "cpu"): number {
  const available = localDeviceCount(platform);
  if (requested === null) return available;
  check("getNumDevices", "requested", requested, rules.whole(1));
  if (requested > available) {
    fail(
      "getNumDevices",
      `${requested} devices were requested, and there ${available === 1 ? "is 1" : `are ${available}`}` +
        (platform === "cpu" ? `; ${howToGetDevices(requested)}` : ` on the platform ${platform}`),
    );
  }
  return requested;
}

/** Every array of a tree `n` times, along a new leading axis for devices; other leaves stay as they are. */
export function replicate<T>(of: T, n: number): T {
  check("replicate", "n", n, rules.whole(1));
  return tree.map(
    (leaf: unknown) => (leaf instanceof Array ? np.broadcastTo(leaf, [n, ...leaf.shape]) : leaf),
    of,
  ) as T;
}

/** What `replicate` made, without the axis for devices: the first copy of every array. */
export function unreplicate<T>(of: T): T {
  return tree.mapWithPath((path: string, leaf: unknown) => {
    if (!(leaf instanceof Array)) return leaf;
    if (leaf.ndim === 0) {
      fail(
        "unreplicate",
        `it drops the leading axis for devices, but ${path === "" ? "the array" : path} is a scalar`,
      );
    }
    return leaf.slice(0);
  }, of) as T;
}

/** A key for each device, of shape [n, 2]. */
export function splitKeyAcrossDevices(rng: Array, n: number): Array {
  check("splitKeyAcrossDevices", "n", n, rules.whole(1));
  return random.split(rng, n);
}

/** The arrays of a tree on the devices of a mesh, split by their first dimension. */
export const shardPytree = <T>(of: T, mesh: Mesh): T => devicePut(of, dataSharding(mesh));

/** The arrays of a tree on the devices of a mesh, all of them on each. */
export const replicateOnMesh = <T>(of: T, mesh: Mesh): T => devicePut(of, replicateSharding(mesh));
