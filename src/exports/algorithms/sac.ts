// vibe-rl/algorithms/sac: soft actor-critic.
import "../../device/index.js";

export { GaussianActor, TwinQNetwork } from "../../algorithms/index.js";
export {
  SAC,
  SACConfig,
  sacActorLoss,
  sacAlphaLoss,
  sacCriticLoss,
  sacTarget,
} from "../../algorithms/index.js";
export type { SACMetrics, SACNetworks, SACState, TwinParams } from "../../algorithms/index.js";
export type { Transition } from "../../agent/index.js";
