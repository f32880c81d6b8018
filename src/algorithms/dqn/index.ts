// Deep Q-learning (Mnih et al., https://doi.org/10.1038/nature14236).
export { DQN } from "./agent.js";
export { DQNConfig } from "./config.js";
export { dqnLoss, type DQNLossConfig } from "./loss.js";
export { QNetwork } from "./qNetwork.js";
export type { DQNMetrics, DQNNetworks, DQNState } from "./types.js";
