// Fully sharded data parallelism: which parameters are split over devices, and along which dimension.
import {
  Array,
  check,
  checkName,
  checkOptions,
  describe,
  fail,
  itemSize,
  NamedSharding,
  PartitionSpec,
  rules,
  ShapeDtypeStruct,
  sizeOf,
  tree,
  type Mesh,
} from "../array/index.js";
import { fsdpAxis } from "./mesh.js";
import { replicateSharding } from "./shardings.js";

export interface FsdpOptions {
  /** Arrays smaller than this stay whole: 4 (MB, of 2 ** 20 bytes) by default. */
  readonly minSizeMbytes?: number;
}

/**
 * A sharding for each array or `ShapeDtypeStruct` of a tree: large ones with two dimensions or more are split along
 * their largest dimension that the "fsdp" axis divides; all others are whole on every device.
 */
export function fsdpSharding<T>(
  params: T,
  mesh: Mesh,
  options: FsdpOptions = {},
): tree.MapLeaves<T, NamedSharding> {
  checkOptions("fsdpSharding", options, ["minSizeMbytes"]);
  const { minSizeMbytes = 4 } = options;
  check("fsdpSharding", "minSizeMbytes", minSizeMbytes, rules.notNegative);
  const whole = replicateSharding(mesh);
  checkName("fsdpSharding", "axis", fsdpAxis, mesh.axisNames);
  const parts = mesh.shape[fsdpAxis];
  return tree.mapWithPath((path: string, leaf: unknown): NamedSharding => {
    if (!(leaf instanceof Array || leaf instanceof ShapeDtypeStruct)) {
      if (["number", "boolean", "string"].includes(typeof leaf)) return whole;
      fail(
        "fsdpSharding",
        `the tree must hold arrays or ShapeDtypeStructs, got ${describe(leaf)}${path === "" ? "" : ` at ${path}`}`,
      );
    }
    const { shape, dtype } = leaf;
    const megabytes = (sizeOf(shape) * itemSize(dtype)) / 2 ** 20;
    if (parts === 1 || shape.length < 2 || megabytes < minSizeMbytes) return whole;
    const divisible = shape.filter((extent) => extent > 0 && extent % parts === 0);
    if (divisible.length === 0) return whole;
    const split = shape.indexOf(Math.max(...divisible));
    return NamedSharding(mesh, PartitionSpec(shape.map((_, axis) => (axis === split ? fsdpAxis : null))));
  }, params);
}
