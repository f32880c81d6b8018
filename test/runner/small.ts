// Runs that are over in a moment, one for each algorithm, with everything that their states can hold.
import { readFileSync } from "node:fs";
import { DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { SACConfig } from "vibe-rl/algorithms/sac";
import { np, tree, type Array, type Shape } from "vibe-rl/array";
import { make } from "vibe-rl/env";
import { RunnerConfig, type LoggedRecord, type MetricsRecord, type RunOptions } from "vibe-rl/runner";
import {
  dqnTrainer,
  ppoTrainer,
  run,
  sacTrainer,
  type RunResult,
  type Trainer,
} from "../../src/runner/index.js";

export const ppoConfig = PPOConfig({
  ...{ hiddenSizes: [8], nSteps: 16, numEnvs: 2, nMinibatches: 2, nEpochs: 2, lr: 1e-3 },
  clipSchedule: "linear",
  ...{ normalizeObs: true, normalizeReward: true },
});
export const dqnConfig = DQNConfig({
  ...{ hiddenSizes: [8], batchSize: 8, targetUpdateFreq: 20, tau: 0.5, normalizeObs: true },
  ...{ explorationFraction: 0.5, lrSchedule: "linear", nSteps: 3, prioritized: true },
});
export const sacConfig = SACConfig({
  ...{ hiddenSizes: [8], batchSize: 8, normalizeObs: true, normalizeReward: true },
  ...{ lrSchedule: "linear", trainFreq: 3, gradientSteps: 2, nSteps: 2 },
});

/** Events at different steps, so that a checkpoint falls between two lines of the log. */
export const runnerConfig = (given: Partial<RunnerConfig> = {}): RunnerConfig =>
  RunnerConfig({
    ...{ totalTimesteps: 640, logInterval: 100, evalEvery: 200, evalEpisodes: 3, checkpointInterval: 150 },
    ...{ bufferSize: 256, warmupSteps: 60, maxCheckpoints: 100, plot: false },
    ...given,
  });

export const [cartPole, cartPoleParams] = make("CartPole-v1", { maxSteps: 30 });
export const [gridWorld, gridWorldParams] = make("GridWorld-v0", { maxSteps: 20 });
export const [pendulum, pendulumParams] = make("Pendulum-v1", { maxSteps: 25 });

/** Makes the run of an algorithm. */
export const trainers: Readonly<Record<string, (config: RunnerConfig) => Trainer<object>>> = {
  PPO: (config) => hidden(ppoTrainer(cartPole, cartPoleParams, { ppoConfig, runnerConfig: config })),
  DQN: (config) => hidden(dqnTrainer(gridWorld, gridWorldParams, dqnConfig, config)),
  SAC: (config) => hidden(sacTrainer(pendulum, pendulumParams, sacConfig, config)),
};

const hidden = <S>(trainer: Trainer<S>): Trainer<object> => trainer as unknown as Trainer<object>;

/** Runs without the files of a run directory. */
export const runBare = (
  trainer: Trainer<object>,
  config: RunnerConfig,
  options: RunOptions<object> = {},
): Promise<RunResult<object>> => run(trainer, config, options);

/** Weights that are quick to make. */
export const waves = (_key: Array, shape: Shape): Array => {
  const size = shape.reduce((product, extent) => product * extent, 1);
  return np.sin(np.arange(size)).mul(0.03).reshape(shape);
};

/** Every array of a tree as its bytes. */
export const bitsOf = (value: unknown): string[] =>
  tree.leaves(value).map((leaf) => Buffer.from((leaf as Array).data().buffer).toString("hex"));

/** The records of training among those of a file, in numbers. */
export const trainingOf = (lines: readonly LoggedRecord[]): MetricsRecord[] =>
  lines
    .filter((record) => !("eval_return" in record))
    .map((record) => {
      const numbers = Object.entries(record).filter(([, value]) => typeof value === "number");
      return Object.fromEntries(numbers);
    });

/** A metrics file without the times. */
export const linesOf = (file: string): LoggedRecord[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { wall_time: _, ...rest } = JSON.parse(line) as LoggedRecord;
      return rest;
    });
