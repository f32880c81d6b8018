// MuJoCo: physics in WebAssembly, through the optional package @mujoco/mujoco, as environments that are objects.
export { MujocoEnv, type MujocoStep } from "./env.js";
export { MujocoError } from "./errors.js";
export type { Generator, GeneratorState } from "./generator.js";
export { loadMujoco } from "./load.js";
export { makeMujoco, mujocoFactory, type MujocoName, type MujocoOptions } from "./make.js";
export {
  drawScene,
  readScene,
  sideCamera,
  type Camera,
  type CameraOptions,
  type Solid,
  type SolidKind,
  type Vector,
} from "./picture/index.js";
export type { MujocoState } from "./savedState.js";
export { addNoise, observeState, type MujocoTask, type Outcome, type Transition } from "./task.js";
export { hopper, type HopperOptions } from "./tasks/hopper.js";
export {
  invertedDoublePendulum,
  type InvertedDoublePendulumOptions,
} from "./tasks/invertedDoublePendulum.js";
export { invertedPendulum, type InvertedPendulumOptions } from "./tasks/invertedPendulum.js";
export type { Mujoco, MujocoData, MujocoModel, Physics } from "./types.js";
