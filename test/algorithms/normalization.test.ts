// Agents that normalise what they see: statistics in their state, learned in training and used everywhere else.
import { describe, expect, it } from "vitest";
import { RunningStats } from "vibe-rl/agent";
import { DQN, DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPO, PPOConfig } from "vibe-rl/algorithms/ppo";
import { SAC, SACConfig } from "vibe-rl/algorithms/sac";
import { jit, np, random, vmap, type Array } from "vibe-rl/array";
import { AutoResetWrapper, Box, make, type Environment } from "vibe-rl/env";
import { jitEvaluate, RunnerConfig, trainDQN, trainPPO, trainSAC } from "vibe-rl/runner";
import { expectClose } from "../closeness.js";

const key = random.key(4);
const obsStats = {
  count: np.float32(100),
  mean: np.array([1, -2, 30, 0.5]),
  variance: np.array([4, 0.01, 900, 1]),
};
const raw = random.normal(key, [6, 4]).mul(np.sqrt(obsStats.variance)).add(obsStats.mean);
const normal = raw.sub(obsStats.mean).div(np.sqrt(obsStats.variance));
const on = { normalizeObs: true } as const;
const near = { rtol: 1e-4, atol: 1e-5 };

describe("PPO", () => {
  const plain = PPOConfig({ hiddenSizes: [16], nSteps: 32, numEnvs: 3, nMinibatches: 1, nEpochs: 1 });
  const config = PPOConfig({ ...plain, ...on, normalizeReward: true });
  const state = PPO.init(key, [4], 2, config);

  it("acts on what it sees as if that had been normalised before", () => {
    const seen = PPO.actBatch({ ...state, obsStats }, raw, { config, explore: false });
    const known = PPO.actBatch(PPO.init(key, [4], 2, plain), normal, { config: plain, explore: false });
    expectClose(seen.slice(0, 3), known.slice(0, 3), near);
    expectClose(
      PPO.getValueBatch({ ...state, obsStats }, raw, { config }),
      PPO.getValueBatch(PPO.init(key, [4], 2, plain), normal, { config: plain }),
      near,
    );
  });

  it("learns nothing about observations by acting", () => {
    const [, , , after] = PPO.actBatch({ ...state, obsStats }, raw, { config });
    expectClose(after.obsStats, obsStats, {});
  });

  const [cartPole, params] = make("CartPole-v1");
  const env = AutoResetWrapper(cartPole);
  const collect = (agent: typeof state) => {
    const [obs, envState] = vmap((k: Array) => env.reset(k, params))(random.split(key, 3));
    const step: typeof env.step = (...args) => env.step(...args);
    return PPO.collectRolloutBatch(agent, obs, envState, step, params, { config });
  };

  it("learns the statistics of a rollout, of all environments together", () => {
    const [played, rollout, , , lastValue] = collect(state);
    expectClose(played.obsStats, RunningStats.init([4]), {});
    const [learned] = PPO.update(played, rollout, lastValue, { config });
    const rows = rollout.obs.reshape([-1, 4]);
    expectClose(learned.obsStats?.mean, rows.mean(0), near);
    expectClose(learned.obsStats?.variance, rows.var(0), near);
    expect(learned.obsStats?.count.item()).toBe(96);
    expect(learned.rewardStats?.returns.shape).toEqual([3]);
    expect(learned.rewardStats?.stats.count.item()).toBe(96);
  });

  it("starts every update from the very policy that acted", () => {
    const [played, rollout, , , lastValue] = collect({ ...state, obsStats });
    const [, { approxKl, clipFraction }] = PPO.update(played, rollout, lastValue, { config });
    expect(Math.abs(approxKl.item())).toBeLessThan(1e-6);
    expect(clipFraction.item()).toBe(0);
  });

  it("gives the critic rewards of the size of 1, however large they are", () => {
    const [played, rollout, , , lastValue] = collect(state);
    const losses = [1, 1e4].map((size) => {
      const large = { ...rollout, reward: rollout.reward.mul(size) };
      return PPO.update(played, large, lastValue, { config })[1].criticLoss.item();
    });
    expect(losses[1] / losses[0]).toBeCloseTo(1, 3);
  });

  it("refuses rollouts of another number of environments where it follows their returns", () => {
    const [played, rollout, , , lastValue] = collect(state);
    const fewer = { ...rollout, reward: rollout.reward.slice(":", ":2") };
    expect(() => PPO.update(played, fewer, lastValue, { config })).toThrow(
      "normalizeReward follows 3 environments (numEnvs), the rollout [32,2] has 2",
    );
  });
});

const batch = {
  obs: raw,
  nextObs: raw.mul(0.9),
  reward: np.linspace(-1, 1, 6),
  done: np.array([false, true, false, false, false, true]),
};
const normalBatch = {
  ...batch,
  obs: normal,
  nextObs: batch.nextObs.sub(obsStats.mean).div(np.sqrt(obsStats.variance)),
};

describe("DQN", () => {
  const plain = DQNConfig({ hiddenSizes: [16] });
  const config = DQNConfig({ ...plain, ...on });
  const state = { ...DQN.init(key, [4], 2, config), obsStats };
  const known = DQN.init(key, [4], 2, plain);
  const action = np.array([0, 1, 1, 0, 1, 0], { dtype: "int32" });

  it("acts and learns on what it sees as if that had been normalised before", () => {
    const acted = DQN.actBatch(state, raw, { config, explore: false });
    expectClose(acted[0], DQN.actBatch(known, normal, { config: plain, explore: false })[0], {});
    const [learned, { loss }] = DQN.update(state, { ...batch, action }, { config });
    const expected = DQN.update(known, { ...normalBatch, action }, { config: plain });
    expectClose(learned.params, expected[0].params, near);
    expectClose(loss, expected[1].loss, near);
    // Neither changes the statistics.
    expectClose(acted[1].obsStats, obsStats, {});
    expectClose(learned.obsStats, obsStats, {});
  });

  it("learns statistics from what it is shown", () => {
    const { obsStats: after, ...rest } = DQN.observe(state, { obs: raw });
    expectClose(after, RunningStats.include(obsStats, raw), near);
    expectClose(rest, known, {});
    expect(DQN.observe(known, { obs: raw }).obsStats).toBeUndefined();
  });
});

describe("SAC", () => {
  const space = Box({ low: -2, high: 2, shape: [2] });
  const plain = SACConfig({ hiddenSizes: [16] });
  const config = SACConfig({ ...plain, ...on, normalizeReward: true });
  const rewardStats = {
    stats: { count: np.float32(9), mean: np.float32(3), variance: np.float32(0.25) },
    returns: np.zeros([6]),
  };
  const state = { ...SAC.init(key, [4], space, config, { numEnvs: 6 }), obsStats, rewardStats };
  const known = SAC.init(key, [4], space, plain);
  const action = np.ones([6, 2]);

  it("acts and learns on what it sees as if that had been normalised before", () => {
    const acted = SAC.actBatch(state, raw, { config, explore: false });
    expectClose(acted[0], SAC.actBatch(known, normal, { config: plain, explore: false })[0], near);
    const [learned] = SAC.update(state, { ...batch, action }, { config });
    const doubled = { ...normalBatch, action, reward: batch.reward.mul(2) };
    const [expected] = SAC.update(known, doubled, { config: plain });
    expectClose(learned.criticParams, expected.criticParams, near);
    expectClose(learned.actorParams, expected.actorParams, near);
    expectClose([learned.obsStats, learned.rewardStats], [obsStats, rewardStats], {});
  });

  it("learns statistics from what it is shown", () => {
    const ended = np.array([false, false, true, false, false, false]);
    const after = SAC.observe(state, { obs: raw, reward: batch.reward, ended }, { config });
    expectClose(after.obsStats, RunningStats.include(obsStats, raw), near);
    expectClose(after.rewardStats?.returns, np.where(ended, 0, batch.reward), near);
  });
});

describe("runs", () => {
  /** CartPole as it would be seen in millimetres, far from the origin. */
  const [cartPole, params] = make("CartPole-v1");
  const far = (obs: Array): Array => obs.mul(1000).add(5000);
  const large: Environment<unknown, typeof params> = {
    ...cartPole,
    observationSpace: () => Box({ shape: [4] }),
    reset: (k, p) => {
      const [obs, state] = cartPole.reset(k, p);
      return [far(obs), state];
    },
    step: (k, state, action, p) => {
      const [obs, ...rest] = cartPole.step(k, state as never, action, p);
      return [far(obs), ...rest];
    },
  };

  it("learn where observations are large, and are evaluated with what training has learned", async () => {
    const ppoConfig = PPOConfig({ lr: 1e-3, numEnvs: 8, nSteps: 64, gamma: 0.98, ...on });
    const runnerConfig = RunnerConfig({ totalTimesteps: 40_960, evalEvery: 40_960, evalEpisodes: 20 });
    const [{ agentState }] = await trainPPO(large, params, { ppoConfig, runnerConfig });
    const act = (state: typeof agentState, obs: Array) =>
      PPO.act(state, obs, { config: ppoConfig, explore: false })[0];
    const options = { nEpisodes: 20, maxSteps: 500, rng: key };
    expect(jitEvaluate(act, agentState, large, params, options).meanReturn.item()).toBeGreaterThan(150);
    // 40,960 observations, each once.
    expect(agentState.obsStats?.count.item()).toBe(40_960);
    expect(agentState.obsStats?.mean.toArray()).toSatisfy((mean: number[]) =>
      mean.every((value) => Math.abs(value - 5000) < 2000),
    );
  });

  it("of DQN and SAC show every observation once, those of the warm-up too", async () => {
    const runnerConfig = RunnerConfig({ totalTimesteps: 300, warmupSteps: 100, numEnvs: 2, bufferSize: 400 });
    const dqn = await trainDQN(cartPole, params, {
      dqnConfig: DQNConfig({ hiddenSizes: [8], batchSize: 8, ...on }),
      runnerConfig,
    });
    expect(dqn.agentState.obsStats?.count.item()).toBe(300);
    const [pendulum, pendulumParams] = make("Pendulum-v1");
    const sac = await trainSAC(pendulum, pendulumParams, {
      sacConfig: SACConfig({ hiddenSizes: [8], batchSize: 8, ...on, normalizeReward: true }),
      runnerConfig,
    });
    expect(sac.agentState.obsStats?.count.item()).toBe(300);
    expect(sac.agentState.rewardStats?.stats.count.item()).toBe(300);
    expect(sac.agentState.rewardStats?.returns.shape).toEqual([2]);
  });

  it("compile in whole: statistics are a part of the state", () => {
    const config = PPOConfig({ hiddenSizes: [8], ...on });
    const state = PPO.init(key, [4], 2, config);
    const act = jit((s: typeof state, obs: Array) => PPO.act(s, obs, { config, explore: false })[0]);
    expect(act({ ...state, obsStats }, raw.slice(0)).shape).toEqual([]);
  });
});
