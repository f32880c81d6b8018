// Agents: the protocol they keep to, what they exchange with loops, and what the algorithms have in common.
export {
  actionsOf,
  continuousActions,
  discreteActions,
  type Actions,
  type ContinuousActions,
  type DiscreteActions,
} from "./actions.js";
export { assertAgent, isAgent, type ActOptions, type Agent } from "./agent.js";
export {
  checkedConfig,
  choice,
  defineConfig,
  eachOrAll,
  finite,
  flag,
  fraction,
  notNegative,
  optional,
  positive,
  positiveFraction,
  whole,
  widths,
  type ConfigBuilder,
  type Field,
  type Fields,
} from "./config.js";
export { HostReplayBuffer, type HostValue } from "./hostReplay.js";
export { Network, type ImageNetworkParams, type NetworkParams } from "./network.js";
export {
  includeObs,
  includeRewards,
  initObsStats,
  initRewardStats,
  normalizeObs,
  normalizeReward,
  RunningStats,
  type ObsNormalization,
  type ObsStats,
  type RewardNormalization,
  type RewardStats,
} from "./normalization.js";
export { nStepBatch, type NStepOptions, type SequelTransition } from "./nStep.js";
export { clippedAdam, type OptState } from "./optimizer.js";
export { PrioritizedReplayBuffer, type Draw, type Priorities } from "./prioritized.js";
export { ReplayBuffer } from "./replay.js";
export {
  overUpdates,
  progressAt,
  schedule,
  scheduled,
  scheduleUpdates,
  type Schedule,
  type ScheduleHorizon,
} from "./schedule.js";
export {
  AgentState,
  type Metrics,
  type PPORollout,
  type PPOTransition,
  type ReplayBatch,
  type Transition,
} from "./types.js";
