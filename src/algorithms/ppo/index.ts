// Proximal policy optimisation (Schulman et al., https://arxiv.org/abs/1707.06347).
export { ActorCategorical, ActorCritic, ActorCriticShared, Critic } from "./actorCritic.js";
export { PPO } from "./agent.js";
export { PPOConfig } from "./config.js";
export { computeGae } from "./gae.js";
export { ppoLoss, type PPOLossConfig } from "./loss.js";
export { collectWithInfo } from "./rollout.js";
export type { BatchRolloutOptions, EnvStep, Rollout, RolloutOptions, StepInfo } from "./rollout.js";
export type {
  AnyPPOParams,
  PPOBatch,
  PPOLossMetrics,
  PPOMetrics,
  PPONetworks,
  PPOParams,
  PPOState,
  SeparateParams,
  SharedParams,
} from "./types.js";
