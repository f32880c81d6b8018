// Agents: the protocol they keep to, what they exchange with loops, and what the algorithms have in common.
export {
  actionsOf,
  continuousActions,
  discreteActions,
  type Actions,
  type ContinuousActions,
  type DiscreteActions,
} from "./actions.js";
export { assertAgent, isAgent, type ActOptions, type Agent, type Experience, type Seen } from "./agent.js";
export {
  checkedConfig,
  choice,
  completedConfig,
  configAmong,
  defineConfig,
  eachOrAll,
  finite,
  flag,
  fraction,
  knownValue,
  notNegative,
  optional,
  plainConfig,
  positive,
  positiveFraction,
  traceable,
  whole,
  widths,
  type ConfigBuilder,
  type Field,
  type Fields,
  type Scalar,
} from "./config.js";
export { HostReplayBuffer, type HostValue } from "./hostReplay.js";
export { jitWithConfig } from "./jitWithConfig.js";
export {
  ObsNetwork,
  networkKinds,
  type ImageNetworkParams,
  type NetworkKind,
  type NetworkParams,
} from "./obsNetwork.js";
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
export { networkIdentity, networkWords } from "./networkIdentity.js";
export { applyNetwork, checkedNetworks, initNetwork, partsAmong } from "./ownNetworks.js";
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
