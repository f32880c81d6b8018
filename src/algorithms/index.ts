// The algorithms, each a namespace of pure functions with its config, its losses and its trees.
export * from "./dqn/index.js";
export * from "./ppo/index.js";
export * from "./sac/index.js";
export type { Acting, ActionKind, AlgorithmDefinition, Noise, PresetData } from "./definition.js";
export {
  algorithmNames,
  algorithmOf,
  algorithms,
  isAlgorithm,
  type ActionsOf,
  type AlgorithmName,
  type ConfigOf,
  type StateOf as AgentStateOf,
} from "./registry.js";
