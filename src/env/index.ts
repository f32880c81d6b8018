// Environments: pure functions that trace, so that whole loops of agent and environment compile together.
export { acrobot, type AcrobotParams, type AcrobotState } from "./builtin/acrobot.js";
export { cartPole, type CartPoleParams, type CartPoleState } from "./builtin/cartPole.js";
export {
  gridWorld,
  type GridRewards,
  type GridWorldParams,
  type GridWorldState,
} from "./builtin/gridWorld.js";
export * from "./builtin/minatar/index.js";
export type { MountainLimits, MountainState } from "./builtin/mountain.js";
export { mountainCar, type MountainCarParams } from "./builtin/mountainCar.js";
export { mountainCarContinuous, type MountainCarContinuousParams } from "./builtin/mountainCarContinuous.js";
export { pendulum, type PendulumParams, type PendulumState } from "./builtin/pendulum.js";
export { pixelGridWorld, type PixelGridWorldOptions } from "./builtin/pixelGridWorld.js";
export { checkEnv, envProblems, lookAtEnv, type CheckEnvOptions } from "./check/index.js";
export type {
  EnvParams,
  EnvState,
  Environment,
  EpisodeInfo,
  Info,
  ParamsOf,
  ResetInfo,
  StateOf,
  StepResult,
} from "./environment.js";
export { listEnvs, make, register, type KnownEnvironments, type Overrides } from "./registry.js";
export { idOf } from "./origin.js";
export { render } from "./render.js";
export {
  Box,
  Discrete,
  Image,
  MultiBinary,
  type BoxOptions,
  type ImageOptions,
  type Space,
} from "./spaces.js";
export { spaceFromData, spaceToData, type SpaceData } from "./spaceData.js";
export { circle, colors, picture, polyline, rect, type Point } from "./svg.js";
export * from "./wrappers/index.js";
