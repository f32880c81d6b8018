// vibe-rl/agent: the Agent protocol, what agents and loops exchange, replay buffers and configs.
import "../device/index.js";

export {
  AgentState,
  HostReplayBuffer,
  Network,
  ReplayBuffer,
  assertAgent,
  choice,
  clippedAdam,
  defineConfig,
  eachOrAll,
  finite,
  flag,
  fraction,
  isAgent,
  notNegative,
  optional,
  positive,
  whole,
  widths,
} from "../agent/index.js";
export type {
  ActOptions,
  Agent,
  ConfigBuilder,
  Field,
  Fields,
  HostValue,
  ImageNetworkParams,
  Metrics,
  NetworkParams,
  OptState,
  PPORollout,
  PPOTransition,
  Transition,
} from "../agent/index.js";
