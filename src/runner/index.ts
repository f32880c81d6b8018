// Runners: whole training runs, compiled in pieces between which the host can act.
export { changesSince, type Change } from "./changes.js";
export { checkDevices, withEnvironments } from "./checks.js";
export * from "./classes/index.js";
export { RunnerConfig } from "./config.js";
export {
  getNumDevices,
  replicate,
  replicateOnMesh,
  shardPytree,
  splitKeyAcrossDevices,
  unreplicate,
} from "./devices.js";
export {
  evalKeys,
  evaluate,
  jitEvaluate,
  type ActFn,
  type EvalMetrics,
  type EvaluateOptions,
} from "./evaluate.js";
export type { Curve } from "./curve.js";
export { DivergedError, outcomeOf } from "./finite.js";
export type { EpisodeLists, LoggedRecord, MetricsRecord } from "./gathered.js";
export {
  run,
  type Progress,
  type RecordSink,
  type RunOptions,
  type RunResult,
  type StopSignal,
} from "./loop.js";
export type { CheckpointFiles } from "./byteFiles.js";
export { dqnTrainer, trainDQN, type DQNTrainResult, type TrainDQNOptions } from "./dqn.js";
export type { TrainResult } from "./offPolicy.js";
export { sacTrainer, trainSAC, type SACTrainResult, type TrainSACOptions } from "./sac.js";
export {
  ppoTrainer,
  trainPPO,
  type PPOMetricsHistory,
  type PPOTrainState,
  type TrainPPOOptions,
} from "./ppo.js";
export { trainPPOMultiGPU, type TrainPPOMultiGPUOptions } from "./ppoMultiGPU.js";
export { longestEpisode } from "./setting.js";
export { trainerOf } from "./registry.js";
export type { SweepGrid, SweepSetting } from "./sweep/grid.js";
export type { SweepResult, SweepRun } from "./sweep/result.js";
export {
  sweep,
  type SweepDQNOptions,
  type SweepPPOOptions,
  type SweepProgress,
  type SweepSACOptions,
} from "./sweep/sweep.js";
export type { Trainer } from "./trainer.js";
export { agentTrainer, trainAgent, type TrainAgentOptions } from "./trainAgent.js";
