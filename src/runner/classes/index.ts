// Runners as objects: for environments that are objects, with callbacks between playing and learning.
export { CallbackError, type EventName, type Events, type Stats } from "./callbacks.js";
export type { EvalCallOptions, LearnOptions, LoadOptions } from "./classRunner.js";
export type { EvalStats } from "./evalStats.js";
export { EnvironmentError } from "./hostEnvs.js";
export type { RateOptions, RateSchedule } from "./learningRate.js";
export type { NetworkCfg, NetworkClass, NetworkOptions } from "./networks.js";
export {
  CNNActor,
  CNNCritic,
  MLPActor,
  MLPCritic,
  type ActivationName,
  type CNNNetworkCfg,
  type MLPNetworkCfg,
} from "./networkClasses.js";
export { DQNAgent, SACAgent, type DQNAgentOptions, type SACAgentOptions } from "./offPolicyAgents.js";
export { OffPolicyRunner, type OffPolicyRunnerOptions } from "./offPolicyRunner.js";
export { OnPolicyRunner, type OnPolicyRunnerOptions } from "./onPolicyRunner.js";
export type { ClassRunnerOptions } from "./options.js";
export { PPOAgent, type PPOAgentOptions } from "./ppoAgent.js";
export type { WorldOptions } from "./worlds.js";
