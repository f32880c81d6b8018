// Environments that are objects, alone and side by side.
export {
  checkHostEnv,
  checkVecEnv,
  hostEnvProblems,
  vecEnvProblems,
  type CheckHostEnvOptions,
  type CheckVecEnvOptions,
} from "./check/index.js";
export { VecEnvError, type Failure } from "./errors.js";
export { FunctionalVecEnv } from "./functionalVecEnv.js";
export {
  isHostEnv,
  listHostEnvs,
  makeHost,
  registerHost,
  type HostFactory,
  type HostOptions,
} from "./registry.js";
export { SyncVecEnv, type SyncVecEnvOptions } from "./syncVecEnv.js";
export type {
  HostAction,
  HostArray,
  HostEnv,
  HostInfo,
  HostObs,
  HostPicture,
  HostReset,
  HostStep,
  MaybePromise,
  VecEnv,
  VecExtras,
  VecStep,
} from "./types.js";
export { WorkerVecEnv, type WorkerVecEnvOptions } from "./workerVecEnv.js";
