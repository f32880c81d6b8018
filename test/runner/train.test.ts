// What training returns, tells and refuses.
import { describe, expect, it } from "vitest";
import { np, tree, type Array as NpArray } from "vibe-rl/array";
import { AutoResetWrapper, make } from "vibe-rl/env";
import {
  RunnerConfig,
  trainDQN,
  trainPPO,
  trainSAC,
  type LoggedRecord,
  type MetricsRecord,
} from "vibe-rl/runner";
import { dqnTrainer, ppoTrainer } from "../../src/runner/index.js";
import {
  bitsOf,
  cartPole,
  cartPoleParams,
  dqnConfig,
  gridWorld,
  gridWorldParams,
  pendulum,
  pendulumParams,
  ppoConfig,
  runBare,
  runnerConfig,
  sacConfig,
  trainers,
} from "./small.js";

describe("RunnerConfig", () => {
  it("has the documented defaults", () => {
    expect(RunnerConfig()).toEqual({
      ...{ totalTimesteps: 100_000, evalEvery: 5_000, evalEpisodes: 10, logInterval: 1_000 },
      ...{ bufferSize: 100_000, warmupSteps: 1_000, numDevices: null, numEnvs: 1, fsdpDevices: 1, seed: 0 },
      ...{ device: "auto", threads: null, matmulPrecision: null },
      ...{ checkpointDir: null, checkpointInterval: 5_000, maxCheckpoints: 5, keepPeriod: null },
      ...{ resume: false, overwrite: false, plot: true },
    });
    expect(Object.isFrozen(RunnerConfig())).toBe(true);
  });

  it("names the field that is wrong", () => {
    expect(() => RunnerConfig({ evalEvery: 0 })).toThrow(
      /evalEvery must be a whole number of at least 1, got 0/,
    );
    expect(() => RunnerConfig({ totalSteps: 1 } as object)).toThrow(/no field `totalSteps`/);
    expect(() => RunnerConfig({ resume: true, overwrite: true })).toThrow(/resume and overwrite/);
    expect(() => RunnerConfig({ checkpointDir: "" })).toThrow(/checkpointDir must be a path, or null/);
  });
});

describe("trainPPO", () => {
  it("returns the state and every update's metrics, whether the environment resets itself or not", async () => {
    const config = runnerConfig({ totalTimesteps: 200 });
    const options = { ppoConfig, runnerConfig: config };
    const [state, history] = await trainPPO(cartPole, cartPoleParams, options);
    // 200 steps are six updates of 32 and a rest that is left out.
    for (const list of Object.values(history)) expect(list.shape).toEqual([6]);
    expect(Object.keys(history)).toEqual(
      expect.arrayContaining(["totalLoss", "actorLoss", "criticLoss", "entropy", "approxKl"]),
    );
    expect(state.agentState.step.item()).toBe(6);
    expect(state.envObs.shape).toEqual([2, 4]);
    const wrapped = AutoResetWrapper(cartPole);
    const [again, historyAgain] = await trainPPO(wrapped, cartPoleParams, {
      ...options,
      ...{ obsShape: [4], nActions: 2 },
    });
    expect(bitsOf(again.agentState)).toEqual(bitsOf(state.agentState));
    expect(bitsOf(historyAgain)).toEqual(bitsOf(history));
  });

  it("refuses less than one update, wrong shapes, actions it cannot take and devices there are not", async () => {
    const options = { ppoConfig, runnerConfig: runnerConfig({ totalTimesteps: 31 }) };
    await expect(trainPPO(cartPole, cartPoleParams, options)).rejects.toThrow(
      /totalTimesteps is 31, less than the 32 steps of one update \(numEnvs 2 × nSteps 16\)/,
    );
    const fine = { ppoConfig, runnerConfig: runnerConfig() };
    await expect(trainPPO(cartPole, cartPoleParams, { ...fine, obsShape: [3] })).rejects.toThrow(
      /obsShape is \[3\], CartPole-v1 has observations of shape \[4\]/,
    );
    await expect(trainPPO(cartPole, cartPoleParams, { ...fine, nActions: 3 })).rejects.toThrow(
      /nActions is 3, CartPole-v1 has Discrete\(2\)/,
    );
    const several = { ppoConfig, runnerConfig: runnerConfig({ numDevices: 4 }) };
    await expect(trainPPO(cartPole, cartPoleParams, several)).rejects.toThrow(/one device, got numDevices 4/);
  });

  it("takes continuous actions", async () => {
    const config = runnerConfig({ totalTimesteps: 64 });
    const [state] = await trainPPO(pendulum, pendulumParams, { ppoConfig, runnerConfig: config });
    expect(state.agentState.params.logStd?.shape).toEqual([1]);
  });
});

describe("trainDQN and trainSAC", () => {
  it("return the agent, the return of every episode and the log", async () => {
    const config = runnerConfig({ totalTimesteps: 300 });
    const [env, params] = make("GridWorld-v0", { maxSteps: 20, size: 20 });
    const result = await trainDQN(env, params, { dqnConfig, runnerConfig: config });
    // Updates begin with the last step of the warm-up. Nobody finds the goal of a grid so large: episodes have 20 steps.
    expect(result.agentState.step.item()).toBe(241);
    expect(result.episodeReturns).toHaveLength(15);
    for (const one of result.episodeReturns) expect(one).toBeCloseTo(-0.2, 5);
    expect(result.episodeLengths).toEqual(Array(15).fill(20));
    expect(result.metricsLog.map(({ step }) => step)).toEqual([100, 200, 300]);
    expect(result.evalLog.map(({ step }) => step)).toEqual([200, 300]);
    expect(Object.keys(result.metricsLog[0])).toEqual(
      expect.arrayContaining(["step", "loss", "q_mean", "epsilon", "episode_return", "episode_length"]),
    );
    expect(result.metricsLog[0].episode_length).toBe(20);
    expect(Object.keys(result.evalLog[0])).toEqual(["step", "eval_return", "eval_length"]);
  });

  it("play several environments side by side, with as many updates for each of their steps", async () => {
    const config = runnerConfig({ totalTimesteps: 301, numEnvs: 3, warmupSteps: 100 });
    const result = await trainSAC(AutoResetWrapper(pendulum), pendulumParams, {
      ...{ sacConfig, runnerConfig: config, actionDim: 1 },
    });
    // 100 steps of three environments, of which 33 come before learning; two updates for three steps.
    expect(result.agentState.step.item()).toBe(134);
    expect(result.episodeReturns).toHaveLength(12);
    expect(result.metricsLog.at(-1)?.step).toBe(300);
    expect(Object.keys(result.metricsLog[1])).toEqual(
      expect.arrayContaining(["actor_loss", "critic_loss", "alpha", "entropy", "q_mean"]),
    );
  });

  it("refuse actions that they cannot take, before anything runs", async () => {
    const config = runnerConfig();
    await expect(trainDQN(pendulum, pendulumParams, { dqnConfig, runnerConfig: config })).rejects.toThrow(
      /trainDQN: needs actions in Discrete, Pendulum-v1 has Box/,
    );
    await expect(trainSAC(gridWorld, gridWorldParams, { sacConfig, runnerConfig: config })).rejects.toThrow(
      /trainSAC: needs actions in Box, GridWorld-v0 has Discrete\(4\)/,
    );
    const wrong = { sacConfig, runnerConfig: config, actionDim: 2 };
    await expect(trainSAC(pendulum, pendulumParams, wrong)).rejects.toThrow(/actionDim is 2/);
  });
});

describe.each(Object.keys(trainers))("a run of %s", (algorithm) => {
  it("calls back and logs every logInterval, with agents that stay readable", async () => {
    const config = runnerConfig({ totalTimesteps: 330 });
    const trainer = trainers[algorithm](config);
    const seen: { step: number; agent: object; metrics: MetricsRecord }[] = [];
    const logged: LoggedRecord[] = [];
    const rates: number[] = [];
    const result = await runBare(trainer, config, {
      callback: async (step, agent, metrics) => {
        await Promise.resolve();
        seen.push({ step, agent, metrics });
      },
      logger: { log: (record) => void logged.push(record) },
      onProgress: ({ step, total, stepsPerSecond, secondsLeft }) => {
        expect(total).toBe(trainer.units * trainer.stepsPerUnit);
        expect(secondsLeft).toBeCloseTo((total - step) / stepsPerSecond, 6);
        rates.push(stepsPerSecond);
      },
    });
    const perUnit = trainer.stepsPerUnit;
    const end = Math.floor(330 / perUnit) * perUnit;
    const due = [100, 200, 300].map((step) => Math.ceil(step / perUnit) * perUnit);
    expect(seen.map(({ step }) => step)).toEqual([...new Set([...due, end])]);
    expect(seen.map(({ metrics }) => metrics)).toEqual(result.metricsLog);
    const evaluated = logged.filter((record) => record.eval_return !== undefined);
    expect(evaluated).toEqual(result.evalLog);
    expect(logged.length).toBe(result.metricsLog.length + result.evalLog.length);
    expect(evaluated.map(({ step }) => step)).toEqual([Math.ceil(200 / perUnit) * perUnit, end]);
    for (const rate of rates) expect(rate).toBeGreaterThan(0);
    // The first agent is not the last one, though its memory was given up.
    const first = tree.leaves(seen[0].agent).map((leaf) => [...(leaf as NpArray).data()]);
    expect(first.flat().every(Number.isFinite)).toBe(true);
    expect(bitsOf(seen.at(-1)?.agent)).toEqual(bitsOf(trainer.agentOf(result.state)));
    expect(bitsOf(seen[0].agent)).not.toEqual(bitsOf(seen.at(-1)?.agent));
  });

  it("has the same bits twice and others for another seed", async () => {
    const config = runnerConfig({ totalTimesteps: 200 });
    const trainer = trainers[algorithm](config);
    const first = await runBare(trainer, config);
    const second = await runBare(trainer, config);
    expect(bitsOf(second.state)).toEqual(bitsOf(first.state));
    expect(second.metricsLog).toEqual(first.metricsLog);
    const otherConfig = runnerConfig({ totalTimesteps: 200, seed: 1 });
    const other = await runBare(trainers[algorithm](otherConfig), otherConfig);
    expect(bitsOf(other.state)).not.toEqual(bitsOf(first.state));
  });
});

/** The largest difference of two arrays, relative to numbers greater than 1. */
const furthest = (a: NpArray, b: NpArray): number => {
  const [left, right] = [a.data(), b.data()];
  return Math.max(...left.map((x, at) => Math.abs(x - right[at]) / Math.max(1, Math.abs(x))));
};

describe("a run over several seeds", () => {
  // Products of several networks at once add up in another order, so the last bits differ: by some 1e-6 in ten updates.
  it("equals the runs with those seeds but for rounding", async () => {
    const seeds = [3, 0, 8];
    const config = runnerConfig({ totalTimesteps: 320 });
    const [swept, history] = await trainPPO(cartPole, cartPoleParams, {
      ...{ ppoConfig, runnerConfig: config, seeds },
    });
    expect(history.totalLoss.shape).toEqual([3, 10]);
    expect(swept.envObs.shape).toEqual([3, 2, 4]);
    for (const [row, seed] of seeds.entries()) {
      const [state, losses] = await trainPPO(cartPole, cartPoleParams, {
        ...{ ppoConfig, runnerConfig: RunnerConfig({ ...config, seed }) },
      });
      // The same actions were taken: what the environments went through is the same to the bit.
      expect(swept.envObs.slice(row).toArray()).toEqual(state.envObs.toArray());
      expect(swept.agentState.rng.slice(row).toArray()).toEqual(state.agentState.rng.toArray());
      const [ours, theirs] = [
        { params: swept.agentState.params, optState: swept.agentState.optState, history },
        { params: state.agentState.params, optState: state.agentState.optState, history: losses },
      ].map((all) => tree.leaves(all));
      ours.forEach((leaf, at) => expect(furthest(leaf.slice(row), theirs[at])).toBeLessThan(1e-5));
    }
  });

  it("logs the means over the seeds", async () => {
    const config = runnerConfig({ totalTimesteps: 128 });
    const seeds = [1, 2];
    const trainer = ppoTrainer(cartPole, cartPoleParams, { ppoConfig, runnerConfig: config, seeds });
    const result = await runBare(trainer as unknown as Parameters<typeof runBare>[0], config);
    const [log] = result.metricsLog;
    const { totalLoss } = result.history;
    expect(totalLoss.shape).toEqual([4, 2]);
    expect(log.total_loss).toBeCloseTo([...totalLoss.data()].reduce((sum, one) => sum + one, 0) / 8, 10);
  });
});

it("goes on learning however many steps it has made", async () => {
  const config = runnerConfig({ numEnvs: 2 });
  const trainer = dqnTrainer(gridWorld, gridWorldParams, dqnConfig, config);
  const start = trainer.start();
  const { work } = await trainer.advance({ ...start, iterations: np.int32(2 ** 31 - 1) }, 5);
  expect(work.updates).toHaveLength(5);
  const { state } = await trainer.advance(trainer.start(), 40);
  // It counts only as far as the warm-up goes.
  expect((await trainer.advance(state, 5)).state.iterations.item()).toBe(30);
});
