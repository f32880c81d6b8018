// Soft actor-critic (Haarnoja et al., https://arxiv.org/abs/1812.05905).
export { GaussianActor, TwinQNetwork } from "./actorCritics.js";
export { SAC } from "./agent.js";
export type { ActionBounds } from "./bounds.js";
export { SACConfig } from "./config.js";
export { sacActorLoss, sacAlphaLoss, sacCriticLoss, sacTarget } from "./loss.js";
export type { SACMetrics, SACNetworks, SACState, TwinParams } from "./types.js";
