// Putting arrays on devices, and saying in a traced function where its arrays shall be.
import { Array, type Concrete } from "../core/array.js";
import { checked } from "../core/checked.js";
import type { TypedArray } from "../core/dtype.js";
import { ArrayError, fail } from "../core/errors.js";
import { bindOne, isTracing } from "../core/trace.js";
import { shardingConstraint } from "../primitives/shardingConstraint.js";
import { flattenArguments } from "../transforms/functions.js";
import type { Shards } from "../transforms/backend.js";
import { spreadPrefix, type Prefix } from "../tree/prefix.js";
import { leafPaths, unflatten } from "../tree/structure.js";
import { cutBlock } from "./blocks.js";
import { Device, firstDevice } from "./devices.js";
import { NamedSharding, type Sharding } from "./namedSharding.js";
import { PlacedElements, ShardedElements } from "./shardedElements.js";
import { SingleDeviceSharding } from "./singleDeviceSharding.js";

/** Where the arrays of a tree go: one place for all, or a tree of these; `null` leaves an array where it is. */
export type ShardingTree = Prefix<Sharding | Device | null>;

const isPlace = (value: unknown): value is Sharding | Device | null | undefined =>
  value === null ||
  value === undefined ||
  value instanceof NamedSharding ||
  value instanceof SingleDeviceSharding ||
  value instanceof Device;

/** A tree with `put` applied to each array and its place. */
function placeTree<T>(
  operation: string,
  tree: T,
  where: unknown,
  put: (array: Array, sharding: Sharding) => Array,
): T {
  const { arrays, structure } = flattenArguments(operation, tree, "the tree");
  const words = "a NamedSharding, a SingleDeviceSharding, a device, null";
  const places = spreadPrefix(operation, where, structure, "the sharding", { isLeaf: isPlace, words });
  const placed = arrays.map((array, index) => {
    const place = places[index] ?? null;
    if (place === null) return array;
    try {
      return put(array, place instanceof Device ? SingleDeviceSharding(place) : place);
    } catch (error) {
      const path = leafPaths(structure)[index];
      if (!(error instanceof ArrayError) || path === "") throw error;
      fail(operation, `${error.reason} (it is at ${path})`, error.location);
    }
  });
  return unflatten(structure, placed) as T;
}

/** Blocks that are there already, one for each place; devices with the same block share it. */
function hostShards(array: Concrete, sharding: NamedSharding): Shards {
  const { elements, dtype, shape } = array;
  const known = new Map<string, TypedArray>();
  const blocks = sharding.devices.map((_, place) => {
    const index = sharding.blockIndex(place, shape);
    const key = index.map(({ start }) => start).join();
    const block = known.get(key) ?? cutBlock(elements, dtype, shape, index);
    known.set(key, block);
    return block;
  });
  return { read: (place) => blocks[place] };
}

/** A concrete array on other devices. */
function moveTo(array: Array, sharding: Sharding): Array {
  const { remote, type } = array;
  if (array.sharding.equals(sharding)) return array;
  if (sharding instanceof NamedSharding) {
    sharding.shardShape(array.shape);
    const isThere = remote instanceof ShardedElements && remote.sharding.isEquivalentTo(sharding, array.ndim);
    const shards = isThere ? remote.shards : hostShards(array as Concrete, sharding);
    return new Array(type, null, null, new ShardedElements(sharding, shards, type));
  }
  const { elements } = array as Concrete;
  return sharding.device === firstDevice
    ? new Array(type, elements)
    : new Array(type, null, null, new PlacedElements(sharding, () => elements));
}

/** The blocks of an array where a sharding wants them; those that are there stay. */
export function shardsFor(array: Array, sharding: NamedSharding): Shards {
  const { remote } = moveTo(array, sharding);
  if (remote instanceof ShardedElements) return remote.shards;
  throw new Error("an array that was put on a mesh is not there; this is a bug in vibe-rl");
}

/** A traced array that shall lie as a sharding says. */
function constrain(array: Array, sharding: Sharding): Array {
  if (!(sharding instanceof NamedSharding)) return array;
  sharding.shardShape(array.shape);
  const params = { layout: sharding.layoutFor(array.ndim), axes: sharding.mesh.axes };
  return bindOne(shardingConstraint, [array], params);
}

/**
 * The arrays of a tree on the devices of a sharding, or of a tree of shardings that may stop early. What lies there
 * already is not copied. In a traced function it says where arrays shall be, as `lax.withShardingConstraint` does.
 */
export const devicePut = checked("devicePut", 2, <T>(tree: T, where: ShardingTree = null): T =>
  placeTree("devicePut", tree, where, isTracing() ? constrain : moveTo),
);

/**
 * The tree itself, with the demand that its arrays lie on devices as the shardings say; how a compiled function
 * is told what to split. Arrays that are not traced are put there.
 */
export const withShardingConstraint = checked(
  "lax.withShardingConstraint",
  2,
  <T>(tree: T, where: ShardingTree): T =>
    placeTree("lax.withShardingConstraint", tree, where, isTracing() ? constrain : moveTo),
);
