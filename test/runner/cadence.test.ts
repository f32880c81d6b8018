// When DQN and SAC learn, and what their records say about it.
import { describe, expect, it } from "vitest";
import { ObsNetwork } from "vibe-rl/agent";
import { DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { SACConfig } from "vibe-rl/algorithms/sac";
import { nn, np, type Array } from "vibe-rl/array";
import { Box, Discrete, type Environment } from "vibe-rl/env";
import { trainDQN, trainPPO, trainSAC, type MetricsRecord, type RunnerConfig } from "vibe-rl/runner";
import { dqnTrainer } from "../../src/runner/index.js";
import { bitsOf, cartPole, cartPoleParams, pendulum, pendulumParams, runnerConfig } from "./small.js";

const config = (given: Partial<DQNConfig> = {}) =>
  DQNConfig({ hiddenSizes: [4], batchSize: 4, epsilonDecaySteps: 10, ...given });

/** Runs without the host looking in before the end. */
const quiet = (given: Partial<RunnerConfig>) =>
  runnerConfig({ logInterval: 1_000, evalEvery: 1_000, evalEpisodes: 1, ...given });

const train = (algo: Partial<DQNConfig>, runner: Partial<RunnerConfig>) =>
  trainDQN(cartPole, cartPoleParams, { dqnConfig: config(algo), runnerConfig: quiet(runner) });

describe("updates", () => {
  it("begin when the buffer holds warmupSteps", async () => {
    const { agentState } = await train({}, { totalTimesteps: 10, warmupSteps: 4 });
    expect(agentState.step.item()).toBe(7);
    for (const warmupSteps of [0, 1]) {
      const always = await train({}, { totalTimesteps: 10, warmupSteps });
      expect(always.agentState.step.item()).toBe(10);
    }
  });

  it.each([
    // Times of learning, then updates: steps 8, 12, 16 and 20, three each.
    { algo: { trainFreq: 4, gradientSteps: 3 }, runner: { totalTimesteps: 21, warmupSteps: 6 }, updates: 12 },
    // Two environments: steps 4, 6, …, 20 are learned from, each two.
    { algo: {}, runner: { totalTimesteps: 21, warmupSteps: 3, numEnvs: 2 }, updates: 18 },
    // Three environments: a multiple of 2 is passed at steps 6 (twice: 4 and 6), 9 (once: 8), 12 (twice), 15, 18.
    {
      algo: { trainFreq: 2, gradientSteps: 2 },
      runner: { totalTimesteps: 20, warmupSteps: 5, numEnvs: 3 },
      updates: 2 * (2 + 1 + 2 + 1 + 2),
    },
    // Two environments: it is time at steps 6 and 12.
    { algo: { trainFreq: 6 }, runner: { totalTimesteps: 16, warmupSteps: 6, numEnvs: 2 }, updates: 2 },
  ])("are $updates with $algo and $runner", async ({ algo, runner, updates }) => {
    const { agentState } = await train(algo, runner);
    expect(agentState.step.item()).toBe(updates);
    const given = quiet(runner);
    const trainer = dqnTrainer(cartPole, cartPoleParams, config(algo), given);
    expect(trainer.updatesAt(trainer.units)).toBe(updates);
  });

  it("do not depend on how the work is divided", async () => {
    const algo = config({ trainFreq: 2, gradientSteps: 3 });
    const trainer = dqnTrainer(cartPole, cartPoleParams, algo, quiet({ numEnvs: 3, warmupSteps: 10 }));
    const whole = (await trainer.advance(trainer.start(), 17)).state;
    let parts = trainer.start();
    for (const count of [1, 2, 3, 5, 6]) parts = (await trainer.advance(parts, count)).state;
    expect(bitsOf(parts)).toEqual(bitsOf(whole));
    expect(whole.agentState.step.item()).toBe(trainer.updatesAt(17));
  });

  it("are refused where they cannot be counted", async () => {
    await expect(train({ trainFreq: 2 ** 31 }, {})).rejects.toThrow(
      /trainDQN: cannot count the updates of trainFreq 2147483648, gradientSteps 1 and numEnvs 1/,
    );
  });
});

describe("records", () => {
  it("have every metric from the first one on, and those of an update that could be made where none was", async () => {
    const seen: MetricsRecord[] = [];
    await trainDQN(cartPole, cartPoleParams, {
      dqnConfig: config({ trainFreq: 64 }),
      runnerConfig: runnerConfig({ totalTimesteps: 80, logInterval: 16, warmupSteps: 30 }),
      callback: (_, __, metrics) => seen.push(metrics),
    });
    expect(seen).toHaveLength(5);
    for (const { loss, q_mean, epsilon } of seen) {
      expect(loss).toBeGreaterThan(0);
      expect(q_mean).not.toBe(0);
      expect(epsilon).toBeGreaterThan(0);
    }
    const actor: MetricsRecord[] = [];
    await trainSAC(pendulum, pendulumParams, {
      sacConfig: SACConfig({ hiddenSizes: [4], batchSize: 4 }),
      runnerConfig: runnerConfig({ totalTimesteps: 20, logInterval: 10, warmupSteps: 12 }),
      callback: (_, __, metrics) => actor.push(metrics),
    });
    for (const metrics of actor) {
      expect(Object.keys(metrics)).toEqual(
        expect.arrayContaining(["actor_loss", "critic_loss", "alpha_loss", "alpha", "entropy", "q_mean"]),
      );
    }
  });

  it("have the chance of a random action and the temperature as they are now, no means", async () => {
    const { metricsLog } = await trainDQN(cartPole, cartPoleParams, {
      dqnConfig: config({ epsilonStart: 1, epsilonEnd: 0, epsilonDecaySteps: 100 }),
      runnerConfig: runnerConfig({ totalTimesteps: 60, logInterval: 20, warmupSteps: 11 }),
    });
    const epsilons = metricsLog.flatMap(({ epsilon }) => (epsilon === undefined ? [] : [epsilon]));
    // 10, 30 and 50 updates were made by then.
    [0.9, 0.7, 0.5].forEach((epsilon, at) => {
      expect(epsilons[at]).toBeCloseTo(epsilon, 6);
    });
    const result = await trainSAC(pendulum, pendulumParams, {
      sacConfig: SACConfig({ hiddenSizes: [4], batchSize: 4, alphaLr: 0.1 }),
      runnerConfig: runnerConfig({ totalTimesteps: 40, logInterval: 20, warmupSteps: 5 }),
    });
    const alphas = result.metricsLog.flatMap(({ alpha }) => (alpha === undefined ? [] : [alpha]));
    expect(alphas.at(-1)).toBeCloseTo(Math.exp(result.agentState.logAlpha.item()), 6);
  });

  it("have means over updates, however many follow a step", async () => {
    const algo = config({ trainFreq: 2, gradientSteps: 3 });
    const runner = quiet({ numEnvs: 3, warmupSteps: 3, totalTimesteps: 12 });
    const trainer = dqnTrainer(cartPole, cartPoleParams, algo, runner);
    const { work } = await trainer.advance(trainer.start(), 4);
    expect(work.updates.map((update) => update !== null)).toEqual([true, true, true, true]);
    const { metricsLog } = await trainDQN(cartPole, cartPoleParams, {
      dqnConfig: algo,
      runnerConfig: runner,
    });
    // A multiple of 2 is passed once, twice, once and twice.
    const weights = [1, 2, 1, 2];
    const losses = work.updates.map((update) => update?.loss as number);
    const mean = losses.reduce((sum, loss, at) => sum + weights[at] * loss, 0) / 6;
    expect(metricsLog[0].loss).toBeCloseTo(mean, 6);
  });
});

describe("schedules", () => {
  it("end with the run, or where they are told to", async () => {
    const epsilon = async (algo: Partial<DQNConfig>, totalTimesteps: number) => {
      const { metricsLog } = await train(
        { epsilonStart: 1, epsilonEnd: 0, ...algo },
        { totalTimesteps, warmupSteps: 1 },
      );
      return metricsLog[0].epsilon;
    };
    expect(await epsilon({ explorationFraction: 1 }, 40)).toBe(0);
    expect(await epsilon({ explorationFraction: 1, scheduleUpdates: 80 }, 40)).toBeCloseTo(0.5, 6);
    expect(await epsilon({ explorationFraction: 0.5, scheduleUpdates: 160 }, 40)).toBeCloseTo(0.5, 6);
  });

  it("leave the last update of a run something to learn with, and nothing beyond", async () => {
    const paramsAfter = async (updates: number) => {
      const ppoConfig = PPOConfig({
        ...{ hiddenSizes: [4], nSteps: 8, nMinibatches: 1, nEpochs: 1 },
        ...{ lrSchedule: "linear", scheduleUpdates: 3 },
      });
      const runner = quiet({ totalTimesteps: 8 * updates });
      const [{ agentState }] = await trainPPO(cartPole, cartPoleParams, { ppoConfig, runnerConfig: runner });
      return bitsOf(agentState.params);
    };
    expect(await paramsAfter(3)).not.toEqual(await paramsAfter(2));
    expect(await paramsAfter(4)).toEqual(await paramsAfter(3));
  });
});

/** Pays 1 after every step, and ends with the third one: a return of 3 from the start. */
const three: Environment<Array, null> = {
  name: "Three",
  defaultParams: () => null,
  observationSpace: () => Box({ low: 0, high: 3, shape: [1] }),
  actionSpace: () => Discrete(2),
  reset: () => [np.zeros([1]), np.int32(0)],
  step: (_, state) => {
    const next = state.add(1);
    const done = next.greaterEqual(3);
    const info = { terminated: done, truncated: np.array(false) };
    return [next.astype("float32").slice(null), next, np.float32(1), done, info];
  },
};

it("returns over several steps are learned from in trainDQN, with several environments too", async () => {
  const { agentState } = await trainDQN(three, null, {
    // Without a target that follows, one step would not see beyond the next reward.
    dqnConfig: config({
      nSteps: 3,
      gamma: 1,
      hiddenSizes: [],
      lr: 0.05,
      targetUpdateFreq: 10_000,
      batchSize: 32,
    }),
    runnerConfig: quiet({ totalTimesteps: 900, numEnvs: 3, warmupSteps: 30 }),
  });
  const obs = np.array([[0], [1], [2]]);
  const values = ObsNetwork.apply(agentState.params, obs, { activation: nn.relu }).toArray() as number[][];
  values.forEach((row, at) => row.forEach((value) => expect(Math.abs(value - (3 - at))).toBeLessThan(0.1)));
});
