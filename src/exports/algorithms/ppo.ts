// vibe-rl/algorithms/ppo: proximal policy optimisation.
import "../../device/index.js";

export { ActorCategorical, ActorCritic, ActorCriticShared, Critic } from "../../algorithms/index.js";
export { PPO, PPOConfig, computeGae, ppoLoss } from "../../algorithms/index.js";
export type {
  AnyPPOParams,
  BatchRolloutOptions,
  EnvStep,
  PPOBatch,
  PPOLossConfig,
  PPOLossMetrics,
  PPOMetrics,
  PPONetworks,
  PPOParams,
  PPOState,
  Rollout,
  RolloutOptions,
  SeparateParams,
  SharedParams,
  StepInfo,
} from "../../algorithms/index.js";
export type { PPORollout, PPOTransition } from "../../agent/index.js";
