// A run spread over devices: what of its state lies where, and where its batches are split.
import type { Array } from "../array/index.js";
import {
  devicePut,
  devices,
  fail,
  lax,
  NamedSharding,
  PartitionSpec,
  tree,
  type Mesh,
} from "../array/index.js";
import { fsdpSharding, makeMesh, replicateSharding } from "../sharding/index.js";
import type { RunnerConfig } from "./config.js";
import { getNumDevices } from "./devices.js";

/** The devices of a run. */
export interface Spread {
  readonly count: number;
  readonly mesh: Mesh;
}

/** The devices that a config asks for; null if that is one. */
export function spreadFor(
  operation: string,
  { numDevices, fsdpDevices, device }: RunnerConfig,
): Spread | null {
  // One that is asked for needs no look at the others.
  const platform = device === "gpu" ? "gpu" : "cpu";
  const count = numDevices === 1 ? 1 : getNumDevices(numDevices, platform);
  if (count % fsdpDevices !== 0) {
    fail(
      operation,
      `numDevices ${count} is not divisible by fsdpDevices ${fsdpDevices}; every part of the model needs as many ` +
        "devices as every other",
    );
  }
  if (count > 1 && (device === "native" || device === "cuda")) {
    const what = device === "native" ? "one device, which has threads" : "one GPU";
    fail(
      operation,
      `device "${device}" is ${what}, and there are ${count}; set numDevices to 1, or leave device out`,
    );
  }
  return count === 1
    ? null
    : { count, mesh: makeMesh({ numDevices: count, numFsdpDevices: fsdpDevices, platform }) };
}

/** The axes along which data is split. */
const dataAxes = ["batch", "fsdp"] as const;

/** The sharding of what has its examples along a dimension. */
export const along = (mesh: Mesh, dimension: number): NamedSharding =>
  NamedSharding(mesh, PartitionSpec([...globalThis.Array<null>(dimension).fill(null), dataAxes]));

/** A sharding for each array of a tree: those with so many rows are split along them, others are whole. */
export const splitRows = (of: unknown, rows: number, mesh: Mesh): unknown =>
  tree.map((leaf: unknown) => {
    const { shape } = leaf as { readonly shape: readonly number[] };
    return shape.length > 0 && shape[0] === rows ? along(mesh, 0) : replicateSharding(mesh);
  }, of);

/** Shardings for parameters and what belongs to them: large ones are split where the mesh has an axis for it. */
export const splitParameters = (of: unknown, mesh: Mesh): unknown => fsdpSharding(of, mesh);

/** Says that a batch with its examples along a dimension is split over the devices. */
export function splitBatch<T>(operation: string, batch: T, dimension: number, { mesh, count }: Spread): T {
  const sharding = along(mesh, dimension);
  return tree.map((leaf: unknown) => {
    const array = leaf as Array;
    const extent = array.shape[dimension];
    if (extent % count !== 0) {
      fail(
        operation,
        `a batch of ${extent} examples cannot be split over ${count} devices; make it a multiple of ${count}`,
      );
    }
    return lax.withShardingConstraint(array, sharding);
  }, batch) as T;
}

/** Refuses a setting of so many rows that the devices cannot share evenly. */
export function checkDivides(operation: string, name: string, value: number, { count }: Spread): void {
  if (value % count === 0) return;
  const below = value - (value % count);
  fail(
    operation,
    `${name} ${value} cannot be split over ${count} devices; make it a multiple of ${count}, such as ` +
      `${below === 0 ? count : below}, or set numDevices`,
  );
}

/** A tree on the first device alone, for what one device does. */
export const atHome = <T>(of: T): T => devicePut(of, devices()[0]);

/** Arrays of rows for all devices, with an axis for devices in front: (devices, rows of each, …). */
export const byDevice = <T>(of: T, count: number): T =>
  tree.map((leaf: unknown) => {
    const array = leaf as Array;
    return array.reshape([count, array.shape[0] / count, ...array.shape.slice(1)]);
  }, of) as T;
