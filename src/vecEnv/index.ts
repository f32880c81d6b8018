// Environments that are objects, alone and side by side.
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
