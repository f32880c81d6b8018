// Networks: layers, initialisers, distributions, optimisers and schedules, as pure functions on trees of arrays.
export { CNN, type CNNOptions, type CNNParams } from "./cnn.js";
export type { Activation, Layer } from "./dense.js";
export { Categorical } from "./distributions/categorical.js";
export { DiagonalNormal } from "./distributions/diagonalNormal.js";
export type { Distribution } from "./distributions/distribution.js";
export { Normal } from "./distributions/normal.js";
export { TanhNormal, type TanhNormalOptions } from "./distributions/tanhNormal.js";
export { initializers, type Initializer } from "./initializers.js";
export type { Tree } from "./leaves.js";
export { MLP, type MLPApplyOptions, type MLPInitOptions, type MLPParams } from "./mlp.js";
export type { Network } from "./network.js";
export {
  cnn,
  flatRows,
  mlp,
  type CNNNetworkOptions,
  type CNNNetworkParams,
  type MLPNetworkOptions,
} from "./networks.js";
export {
  adam,
  adamw,
  scaleByAdam,
  type AdamOptions,
  type AdamState,
  type AdamWOptions,
} from "./optimizers/adam.js";
export { clip, clipByGlobalNorm, globalNorm } from "./optimizers/clipping.js";
export {
  chain,
  safeIncrement,
  type CountState,
  type EmptyState,
  type Optimizer,
  type OptState,
} from "./optimizers/optimizer.js";
export { rmsprop, type RMSPropOptions, type RMSPropState } from "./optimizers/rmsprop.js";
export { addDecayedWeights, scale, scaleBySchedule } from "./optimizers/scaling.js";
export { sgd, type SGDOptions, type SGDState } from "./optimizers/sgd.js";
export { avgPool, maxPool, minPool, type AveragePoolOptions, type PoolOptions } from "./pooling.js";
export { applyUpdates, incrementalUpdate } from "./optimizers/updates.js";
export {
  constantSchedule,
  cosine,
  cosineSchedule,
  joinSchedules,
  linearSchedule,
  warmup,
  warmupCosine,
  type Rate,
  type Schedule,
} from "./schedules.js";
