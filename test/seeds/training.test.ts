// The examples of the original's pages "Runner API" (seed 000) and "Training" (seed 001), translated one to one:
// snake_case is camelCase, keyword arguments are an object, and budgets are small.
import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { DQNConfig, type DQNState } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig, type PPOState } from "vibe-rl/algorithms/ppo";
import { SACConfig, type SACState } from "vibe-rl/algorithms/sac";
import { random, type Array } from "vibe-rl/array";
import { applyOverrides, presets } from "vibe-rl/config";
import { AutoResetWrapper, make } from "vibe-rl/env";
import { RunDir } from "vibe-rl/runDir";
import {
  evaluate,
  jitEvaluate,
  RunnerConfig,
  trainDQN,
  trainPPO,
  trainSAC,
  type DQNTrainResult,
  type EvalMetrics,
  type PPOMetricsHistory,
  type PPOTrainState,
  type SACTrainResult,
} from "vibe-rl/runner";
import { ppoTrainer } from "../../src/runner/index.js";
import { temporaryFolder } from "../temporary.js";

const [cartPole, envParams] = make("CartPole-v1");
const env = AutoResetWrapper(cartPole);
// The examples train for 50,000 and 100,000 steps.
const short = {
  evalEpisodes: 2,
  evalEvery: 1_000_000,
  bufferSize: 1_000,
  warmupSteps: 100,
  logInterval: 200,
};

describe("Runner API (seed 000)", () => {
  it("RunnerConfig: every field has the original's default", () => {
    expect(RunnerConfig()).toMatchObject({
      ...{ totalTimesteps: 100_000, evalEvery: 5_000, evalEpisodes: 10, logInterval: 1_000 },
      ...{ bufferSize: 100_000, warmupSteps: 1_000, numDevices: null, numEnvs: 1, fsdpDevices: 1, seed: 0 },
      ...{ checkpointDir: null, checkpointInterval: 5_000, maxCheckpoints: 5, keepPeriod: null },
      ...{ resume: false, overwrite: false, plot: true },
    });
    expect(Object.isFrozen(RunnerConfig())).toBe(true);
  });

  // Also "Vectorized environments" of seed 001.
  it("train_ppo, with eight environments", async () => {
    const ppoConfig = PPOConfig({ nSteps: 128, numEnvs: 8, hiddenSizes: [64, 64] });
    const runnerConfig = RunnerConfig({ ...short, totalTimesteps: 2_048 });

    const [trainState, metrics] = await trainPPO(env, envParams, { ppoConfig, runnerConfig });

    // "PPOTrainState": the agent's state, the last observation, the environment's state, the key.
    expectTypeOf(trainState).toExtend<PPOTrainState>();
    expectTypeOf(trainState.agentState).toEqualTypeOf<PPOState>();
    expect(trainState.envObs.shape).toEqual([8, 4]);
    expect(Object.keys(trainState).sort()).toEqual(["agentState", "envObs", "envState", "rng"]);
    // "PPOMetricsHistory": each field has shape (n_updates,).
    expectTypeOf(metrics).toEqualTypeOf<PPOMetricsHistory>();
    const { totalLoss, actorLoss, criticLoss, entropy, approxKl } = metrics;
    for (const field of [totalLoss, actorLoss, criticLoss, entropy, approxKl])
      expect(field.shape).toEqual([2]);
  });

  it("obs_shape and n_actions may be given, and must be true", () => {
    expect(ppoTrainer(env, envParams, { obsShape: [4], nActions: 2 }).algorithm).toBe("PPO");
    expect(() => ppoTrainer(env, envParams, { nActions: 3 })).toThrow(/nActions is 3/);
  });

  // Also "DQN training (Hybrid)" and "Callbacks (DQN / SAC)" of seed 001.
  it("train_dqn, with a callback", async () => {
    const printed = vi.fn();
    const myCallback = (step: number, _agentState: DQNState, metrics: Readonly<Record<string, number>>) => {
      if (step % 200 === 0) printed(`Step ${step}:`, Object.keys(metrics));
    };
    const dqnConfig = DQNConfig();
    const runnerConfig = RunnerConfig({ ...short, totalTimesteps: 400 });

    const result = await trainDQN(env, envParams, { dqnConfig, runnerConfig, callback: myCallback });

    // "DQNTrainResult": result.agent_state, result.episode_returns, result.metrics_log
    expectTypeOf(result).toEqualTypeOf<DQNTrainResult>();
    // From the last step of the warm-up on.
    expect(result.agentState.step.item()).toBe(301);
    expect(result.episodeReturns.length).toBeGreaterThan(3);
    // "Metrics logged": loss, q_mean, epsilon every log_interval, and episode_return and episode_length.
    expect(Object.keys(result.metricsLog[0])).toEqual(
      expect.arrayContaining(["step", "loss", "q_mean", "epsilon", "episode_return", "episode_length"]),
    );
    expect(printed).toHaveBeenCalledTimes(2);
    expect(printed.mock.calls[1]).toEqual([
      "Step 400:",
      expect.arrayContaining(["loss", "q_mean", "epsilon"]),
    ]);
  });

  // Also "SAC training (Hybrid)" of seed 001.
  it("train_sac, with action_dim", async () => {
    const [pendulum, pendulumParams] = make("Pendulum-v1", { maxSteps: 60 });
    const sacConfig = SACConfig();
    const runnerConfig = RunnerConfig({ ...short, totalTimesteps: 120, logInterval: 120 });

    const result = await trainSAC(AutoResetWrapper(pendulum), pendulumParams, {
      sacConfig,
      runnerConfig,
      actionDim: 1,
    });

    expectTypeOf(result).toEqualTypeOf<SACTrainResult>();
    expectTypeOf(result.agentState).toEqualTypeOf<SACState>();
    expect(result.episodeReturns).toHaveLength(2);
    expect(Object.keys(result.metricsLog[0])).toEqual(
      expect.arrayContaining(["actor_loss", "critic_loss", "alpha", "entropy", "q_mean"]),
    );
  });
});

describe("Training (seed 001)", () => {
  it("Unified entry point: presets, and any field from the command line", () => {
    expect(Object.keys(presets)).toEqual(
      expect.arrayContaining(["cartpole_ppo", "cartpole_dqn", "pendulum_sac"]),
    );
    const changed = (preset: string, flag: string, text: string) =>
      applyOverrides(presets[preset].config, [{ flag, text }]);
    expect(changed("cartpole_ppo", "algo.lr", "1e-3").algoConfig).toMatchObject({ lr: 1e-3 });
    expect(changed("pendulum_sac", "runner.total_timesteps", "500000").runner.totalTimesteps).toBe(500_000);
    expect(changed("cartpole_ppo", "algo.hidden_sizes", "(128, 128)").algoConfig.hiddenSizes).toEqual([
      128, 128,
    ]);
  });

  it("PPO training, and Metrics I/O with a run directory", async () => {
    const ppoConfig = PPOConfig({ nSteps: 128, hiddenSizes: [64, 64] });
    const runnerConfig = RunnerConfig({ ...short, totalTimesteps: 512, logInterval: 128 });
    const runDir = RunDir("ppo_cartpole", { baseDir: temporaryFolder() });

    const [{ agentState }] = await trainPPO(env, envParams, { ppoConfig, runnerConfig, runDir });

    // Metrics written to runs/.../logs/metrics.jsonl
    const lines = readFileSync(runDir.logPath(), "utf8").trim().split("\n");
    const records = lines.map((line) => JSON.parse(line) as Record<string, number>);
    const updates = records.filter((record) => "total_loss" in record);
    expect(updates.map(({ step }) => step)).toEqual([128, 256, 384, 512]);

    // "Evaluation"
    const actFn = (state: PPOState, obs: Array) =>
      PPO.act(state, obs, { config: ppoConfig, explore: false })[0];
    const options = { nEpisodes: 10, maxSteps: 500, rng: random.key(99) };
    const evalMetrics = jitEvaluate(actFn, agentState, env, envParams, options);
    expectTypeOf(evalMetrics).toEqualTypeOf<EvalMetrics>();
    const { meanReturn, stdReturn, meanLength } = evalMetrics;
    expect(meanReturn.item()).toBe(meanLength.item());
    expect(stdReturn.item()).toBeGreaterThanOrEqual(0);
    const few = { ...options, nEpisodes: 1, maxSteps: 5 };
    expect(evaluate(actFn, agentState, env, envParams, few).meanReturn.item()).toBe(5);
  });

  it("RunnerConfig", () => {
    const runnerConfig = RunnerConfig({
      totalTimesteps: 100_000,
      evalEvery: 5_000,
      evalEpisodes: 10,
      seed: 42,
    });
    expect(runnerConfig).toEqual({ ...RunnerConfig.defaults, seed: 42 });
  });
});
