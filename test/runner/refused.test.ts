// What is not a config, or too large to run, is refused before anything is computed.
import { describe, expect, it } from "vitest";
import { DQN, DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig } from "vibe-rl/algorithms/sac";
import { random, type Array } from "vibe-rl/array";
import { make } from "vibe-rl/env";
import { evaluate, jitEvaluate, RunnerConfig, trainDQN, trainPPO, trainSAC } from "vibe-rl/runner";
import { dqnTrainer, ppoTrainer, run, sacTrainer } from "../../src/runner/index.js";
import {
  cartPole,
  cartPoleParams,
  dqnConfig,
  gridWorld,
  gridWorldParams,
  pendulum,
  pendulumParams,
  ppoConfig,
  runnerConfig,
  sacConfig,
  trainers,
} from "./small.js";

const fine = runnerConfig();
const unbuilt = { ...fine, totalTimesteps: NaN };
const trainPoles = (options: object) => trainPPO(cartPole, cartPoleParams, options as never);
const trainGrid = (options: object) => trainDQN(gridWorld, gridWorldParams, options as never);
const trainPendulum = (options: object) => trainSAC(pendulum, pendulumParams, options as never);

describe("configs that were put together by hand", () => {
  it("are refused by every way to train", async () => {
    const wanted =
      "runnerConfig is no RunnerConfig: totalTimesteps must be a whole number of at least 1, got NaN";
    await expect(trainPoles({ ppoConfig, runnerConfig: unbuilt })).rejects.toThrow(`trainPPO: ${wanted}`);
    await expect(trainGrid({ dqnConfig, runnerConfig: unbuilt })).rejects.toThrow(`trainDQN: ${wanted}`);
    await expect(trainPendulum({ sacConfig, runnerConfig: unbuilt })).rejects.toThrow(`trainSAC: ${wanted}`);
    await expect(run(trainers.PPO(fine), unbuilt)).rejects.toThrow(wanted);
    const bad = { ...fine, evalEvery: 0.5 };
    expect(() => ppoTrainer(cartPole, cartPoleParams, { ppoConfig, runnerConfig: bad })).toThrow(/evalEvery/);
    expect(() => dqnTrainer(gridWorld, gridWorldParams, dqnConfig, bad)).toThrow(/evalEvery/);
    expect(() => sacTrainer(pendulum, pendulumParams, sacConfig, bad)).toThrow(/evalEvery/);
  });

  it("of another algorithm are refused, and what is none", async () => {
    await expect(trainPoles({ ppoConfig: dqnConfig, runnerConfig: fine })).rejects.toThrow(
      /trainPPO: ppoConfig is no PPOConfig: there is no field `batchSize`/,
    );
    await expect(trainGrid({ dqnConfig: ppoConfig, runnerConfig: fine })).rejects.toThrow(
      /trainDQN: dqnConfig is no DQNConfig: there is no field/,
    );
    await expect(trainPendulum({ sacConfig: fine, runnerConfig: fine })).rejects.toThrow(/is no SACConfig/);
    await expect(trainPoles({ ppoConfig: null, runnerConfig: fine })).rejects.toThrow(
      /trainPPO: needs ppoConfig, got null/,
    );
    await expect(trainGrid({ runnerConfig: 5 })).rejects.toThrow(
      /trainDQN: runnerConfig is no RunnerConfig: takes an object with the fields/,
    );
    await expect(trainPoles(null as unknown as object)).rejects.toThrow(
      /trainPPO: needs its options as an object/,
    );
  });

  it("are refused where agents are made from them", () => {
    const key = random.key(0);
    expect(() => PPO.init(key, [4], 2, { ...ppoConfig, lr: NaN })).toThrow(
      /PPO\.init: config is no PPOConfig: lr must be a number greater than 0, got NaN/,
    );
    expect(() => DQN.init(key, [4], 2, ppoConfig as unknown as DQNConfig)).toThrow(/is no DQNConfig/);
    expect(() => SAC.init(key, [3], 1, { ...SACConfig(), tau: 2 })).toThrow(/tau must be/);
  });

  it("with numbers that are no numbers, or too large to be whole, are refused in words", () => {
    expect(() => RunnerConfig({ totalTimesteps: 10n as unknown as number })).toThrow(/at least 1, got 10n/);
    const round: unknown[] = [];
    round.push(round);
    expect(() => PPOConfig({ hiddenSizes: round as number[] })).toThrow(/got \[itself\]/);
    for (const value of [1e300, 2 ** 53, Infinity]) {
      expect(() => RunnerConfig({ seed: value })).toThrow(/seed must be a whole number/);
    }
  });
});

describe("options", () => {
  it("that nobody reads are refused with the nearest that there is", async () => {
    await expect(trainPoles({ ppoConfig, runnerConfig: fine, seed: [1] })).rejects.toThrow(
      /trainPPO: there is no option `seed`; did you mean `seeds`\?/,
    );
    await expect(trainGrid({ dqnConfig, runnerConfig: fine, callbacks: [] })).rejects.toThrow(
      /did you mean `callback`\?/,
    );
  });

  it("of the wrong kind are refused by name", async () => {
    const common = { ppoConfig, runnerConfig: fine };
    for (const seeds of [[], [0.5], [-1], [NaN], 3, [1e300]]) {
      await expect(trainPoles({ ...common, seeds })).rejects.toThrow(
        /trainPPO: seeds must be a list of whole/,
      );
    }
    await expect(trainPoles({ ...common, callback: 3 })).rejects.toThrow(/callback must be a function/);
    await expect(trainPoles({ ...common, logger: {} })).rejects.toThrow(
      /logger must be an object with a func/,
    );
  });

  it("of an evaluation are checked as well", () => {
    const act = (_: unknown, obs: Array) => obs.slice(0).mul(0).astype("int32");
    const wrong: [object, RegExp][] = [
      [{ nEpisodes: NaN, maxSteps: 5 }, /nEpisodes must be a whole number of at least 1, got NaN/],
      [{ maxSteps: 5 }, /nEpisodes must be a whole number of at least 1, got undefined/],
      [{ nEpisodes: 2, maxSteps: 0 }, /maxSteps must be a whole number of at least 1, got 0/],
      [{ nEpisodes: 2, maxSteps: 5, episodes: 3 }, /there is no option `episodes`/],
    ];
    for (const [options, message] of wrong) {
      for (const play of [evaluate, jitEvaluate]) {
        const all = { rng: random.key(0), ...options } as never;
        expect(() => play(act, {}, cartPole, cartPoleParams, all)).toThrow(message);
      }
    }
  });
});

describe("runs that cannot fit into memory", () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      "a replay ring",
      () => dqnTrainer(gridWorld, gridWorldParams, dqnConfig, { ...fine, bufferSize: 2e8 }),
      /trainDQN: bufferSize 200,000,000 takes about [\d.]+ GiB for the replay ring.*4\.0 GiB in all: at most about 100,000,000 would fit/,
    ],
    [
      "environments of DQN",
      () => dqnTrainer(gridWorld, gridWorldParams, dqnConfig, { ...fine, numEnvs: 1e8, totalTimesteps: 1e9 }),
      /trainDQN: numEnvs 100,000,000 takes about [\d.]+ GiB for environments/,
    ],
    [
      "environments of PPO",
      () => {
        const config = PPOConfig({ ...ppoConfig, numEnvs: 1e8 });
        return ppoTrainer(cartPole, cartPoleParams, {
          ...{ ppoConfig: config, runnerConfig: { ...fine, totalTimesteps: 1e12 } },
        });
      },
      /trainPPO: numEnvs 100,000,000 takes about [\d.]+ GiB for a rollout of 100000000 × 16 steps/,
    ],
    [
      "a rollout",
      () => {
        const config = PPOConfig({ ...ppoConfig, nSteps: 1e9 });
        return ppoTrainer(cartPole, cartPoleParams, {
          ...{ ppoConfig: config, runnerConfig: { ...fine, totalTimesteps: 1e12 } },
        });
      },
      /trainPPO: nSteps 1,000,000,000 takes about/,
    ],
    [
      "networks",
      () => {
        const config = SACConfig({ ...sacConfig, hiddenSizes: [100_000, 100_000] });
        return sacTrainer(pendulum, pendulumParams, config, fine);
      },
      /trainSAC: hiddenSizes \[100000, 100000\] takes about [\d.]+ GiB for networks and optimisers/,
    ],
    [
      "a batch",
      () => dqnTrainer(gridWorld, gridWorldParams, DQNConfig({ ...dqnConfig, batchSize: 1e9 }), fine),
      /trainDQN: batchSize 1,000,000,000 takes about/,
    ],
    [
      "an evaluation",
      () => trainers.PPO({ ...fine, evalEpisodes: 1e9 }),
      /trainPPO: evalEpisodes 1,000,000,000 takes about [\d.]+ GiB for episodes side by side/,
    ],
  ])("are refused with the setting that is the cause: %s", (_, start, message) => {
    expect(start).toThrow(message);
  });

  it("do not include those that log seldom: what is logged is counted in pieces", async () => {
    const [env, params] = make("GridWorld-v0", { maxSteps: 20 });
    const seldom = runnerConfig({ logInterval: 1e12, totalTimesteps: 1e12 });
    const stop = new AbortController();
    const options = { dqnConfig, runnerConfig: seldom, signal: stop.signal, onProgress: () => stop.abort() };
    const { agentState } = await trainDQN(env, params, options);
    expect(agentState.step.item()).toBe(0);
  });
});
