// vibe-rl/sharding: the mesh of a training run, and what lies where on it.
import "../device/index.js";

export { distributedInitialize, type DistributedOptions } from "../device/index.js";
export * from "../sharding/index.js";
