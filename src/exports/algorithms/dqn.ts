// vibe-rl/algorithms/dqn: deep Q-learning.
import "../../device/index.js";

export { QNetwork } from "../../algorithms/index.js";
export { DQN, DQNConfig, dqnLoss } from "../../algorithms/index.js";
export type { DQNLossConfig, DQNMetrics, DQNNetworks, DQNState } from "../../algorithms/index.js";
export type { Transition } from "../../agent/index.js";
