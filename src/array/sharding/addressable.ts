// Where an array lies, and its blocks one by one.
import type { Array, RemoteElements } from "../core/array.js";
import type { TypedArray } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { replicaIds } from "./blocks.js";
import { firstDevice, type Device } from "./devices.js";
import type { Sharding } from "./namedSharding.js";
import { PlacedElements } from "./shardedElements.js";
import { SingleDeviceSharding, type BlockIndex } from "./singleDeviceSharding.js";

/** What one device has of an array. */
export interface Shard {
  readonly device: Device;
  /** Which part of the array it is, dimension by dimension. */
  readonly index: BlockIndex;
  readonly data: Array;
  /** The devices that have the same part are numbered from 0. */
  readonly replicaId: number;
}

let onFirst: Sharding | null = null;

/** Where an array lies; on the first device unless it was put elsewhere. */
export function shardingOf(array: Array): Sharding {
  if (array.tracer !== null) {
    fail(
      "sharding",
      `${array.toString()} lies nowhere while ${array.tracer.trace.name} is being traced; ` +
        `lax.withShardingConstraint says where it shall be`,
    );
  }
  return array.remote?.sharding ?? (onFirst ??= SingleDeviceSharding(firstDevice));
}

/** The blocks of an array, `make` being how one becomes an array. */
export function shardsOf(
  array: Array,
  make: (index: BlockIndex, elements: RemoteElements) => Array,
): Shard[] {
  const sharding = shardingOf(array);
  const indices = sharding.devices.map((_, place) => sharding.blockIndex(place, array.shape));
  const ids = replicaIds(indices);
  const { remote } = array;
  const load = (place: number): TypedArray => remote?.block?.(place) ?? (array.elements as TypedArray);
  return sharding.devices.map((device, place) => ({
    device,
    index: indices[place],
    data: make(indices[place], new PlacedElements(SingleDeviceSharding(device), () => load(place))),
    replicaId: ids[place],
  }));
}
