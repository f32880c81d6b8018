// How data, activations and copies lie on the mesh of a training run.
import { lax, NamedSharding, PartitionSpec, type Mesh } from "../array/index.js";
import { batchAxis, currentMesh, fsdpAxis } from "./mesh.js";

/** For what has a batch of examples in front: every device has its share of them. */
export const dataSharding = (mesh: Mesh): NamedSharding =>
  NamedSharding(mesh, PartitionSpec([[batchAxis, fsdpAxis]]));

/** For what every device needs all of. */
export const replicateSharding = (mesh: Mesh): NamedSharding => NamedSharding(mesh, PartitionSpec([]));

/**
 * The arrays of a tree, split by their first dimension as data is: tells the compiler what to do with the results of
 * layers whose parameters are split. Without a mesh it is the identity.
 */
export function activationShardingConstraint<T>(x: T, mesh: Mesh | null = currentMesh()): T {
  return mesh === null ? x : lax.withShardingConstraint(x, dataSharding(mesh));
}
