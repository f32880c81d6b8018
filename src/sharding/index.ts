// Training on several devices: the mesh, and what lies where on it.
export { activationShardingConstraint, dataSharding, replicateSharding } from "./shardings.js";
export { currentMesh, makeMesh, setMesh, type MeshOptions } from "./mesh.js";
export { fsdpSharding, type FsdpOptions } from "./fsdp.js";
