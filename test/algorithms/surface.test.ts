// What the algorithms offer besides learning: partial configs, logits and values, networks by their names.
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  ActorCategorical,
  ActorCritic,
  ActorCriticShared,
  Box,
  Critic,
  DQN,
  DQNConfig,
  GaussianActor,
  make,
  nn,
  np,
  PPO,
  PPOConfig,
  presets,
  QNetwork,
  random,
  RunnerConfig,
  SAC,
  SACConfig,
  trainDQN,
  trainPPO,
  trainSAC,
  TwinQNetwork,
  type Array,
  type TrainConfig,
} from "vibe-rl";
import { ppoTrainer } from "../../src/runner/index.js";

const key = random.key(0);
const obs = random.normal(random.key(1), [5, 3]);
const one = obs.slice(2);
/** Compiled and not, alone and in a batch: sums may run in another order. */
const expectNear = (x: Array, y: Array) => {
  expect(x.shape).toEqual(y.shape);
  expect(np.abs(x.sub(y)).max().item()).toBeLessThan(1e-5);
};
const lists = (arrays: readonly Array[]) => arrays.map((x) => x.toArray());

describe("configs", () => {
  it("may be left out or given in part, with the same results as the whole of them", () => {
    const whole = DQNConfig({ hiddenSizes: [8] });
    const state = DQN.init(key, [3], 4, { hiddenSizes: [8] });
    expect(lists([DQN.act(state, one, { config: { hiddenSizes: [8] } })[0]])).toEqual(
      lists([DQN.act(state, one, { config: whole })[0]]),
    );
    const plain = PPO.init(key, [3], 4);
    const [action, logProb, value] = PPO.act(plain, one);
    expect(lists([action, logProb, value])).toEqual(
      lists(PPO.act(plain, one, { config: PPOConfig() }).slice(0, 3) as Array[]),
    );
    const sac = SAC.init(key, [3], 2, { hiddenSizes: [8] });
    expect(SAC.act(sac, one, { explore: false })[0].toArray()).toEqual(
      SAC.act(sac, one, { explore: false, config: SACConfig({ hiddenSizes: [8] }) })[0].toArray(),
    );
  });

  it("are checked where they are given, and options by their names", () => {
    const state = DQN.init(key, [3], 4);
    expect(() => DQN.act(state, one, { config: { gamma: 2 } })).toThrow(
      /DQN.actBatch: config is no DQNConfig: gamma must be a number from 0 to 1, got 2/,
    );
    expect(() => DQN.act(state, one, { greedy: true } as object)).toThrow(
      "there is no option `greedy`. The options are config, explore",
    );
    const sac = SAC.init(key, [3], 2);
    const batch = { obs, action: np.zeros([5, 2]), reward: np.zeros([5]), nextObs: obs, done: np.zeros([5]) };
    expect(() => SAC.update(sac, batch, { conf: 1 } as object)).toThrow(/there is no option `conf`/);
    expect(() => PPO.getValue(PPO.init(key, [3], 2), one, { config: null as never })).toThrow(
      /PPO.getValue: needs config, got null/,
    );
    const misspelt = { network: {} } as object;
    for (const [name, init] of Object.entries({ PPO: PPO.init, DQN: DQN.init, SAC: SAC.init })) {
      const make = init as (...args: unknown[]) => object;
      expect(() => make(key, [3], 2, {}, misspelt)).toThrow(
        `${name}.init: there is no option \`network\`; did you mean \`networks\`?`,
      );
    }
  });

  it("have defaults in all runners", async () => {
    const [env, params] = make("CartPole-v1");
    expect(ppoTrainer(env, params).identity.config).toEqual(PPOConfig());
    expect(ppoTrainer(env, params, { ppoConfig: { lr: 0.5 } }).identity).toMatchObject({
      config: { lr: 0.5, gamma: PPOConfig.defaults.gamma },
      seed: RunnerConfig.defaults.seed,
    });
    const signal = { aborted: true };
    const [{ agentState }] = await trainPPO(env, params, { signal, ppoConfig: { hiddenSizes: [4] } });
    expect(agentState.step.item()).toBe(0);
    const runnerConfig = { bufferSize: 64, evalEpisodes: 1 };
    const dqn = await trainDQN(env, params, {
      signal,
      dqnConfig: { hiddenSizes: [4], batchSize: 4 },
      runnerConfig,
    });
    expect(dqn.episodeReturns).toEqual([]);
    // What must type-check, whether or not it is run.
    const alone = () => [trainPPO(env, params), trainDQN(env, params), trainSAC(env, params)];
    expect(alone).toBeTypeOf("function");
  });

  it("of whole runs are data", () => {
    const { config } = presets.cartpole_ppo;
    expectTypeOf(config).toEqualTypeOf<TrainConfig>();
    if (config.algo !== "ppo") throw new Error("another algorithm");
    expectTypeOf(config.algoConfig).toEqualTypeOf<PPOConfig>();
    expect([config.envId, config.algoConfig.numEnvs]).toEqual(["CartPole-v1", 8]);
  });
});

describe("logits and values", () => {
  it("of PPO are those that it acts by", () => {
    for (const sharedBackbone of [false, true]) {
      const config = PPOConfig({ hiddenSizes: [8], sharedBackbone, normalizeObs: true, clipObs: 1 });
      const state = PPO.init(key, [3], 4, config);
      const logits = PPO.logitsBatch(state, obs, { config });
      expect(logits.shape).toEqual([5, 4]);
      expectNear(PPO.logits(state, one, { config }), logits.slice(2));
      const [best, logProb, value] = PPO.actBatch(state, obs, { config, explore: false });
      expect(logits.argmax(-1).toArray()).toEqual(best.toArray());
      const expected = np.takeAlongAxis(nn.logSoftmax(logits), best.slice(":", null), 1).squeeze(1);
      expectNear(expected, logProb);
      expectNear(PPO.getValueBatch(state, obs, { config }), value);
    }
    const gaussian = PPO.init(key, [3], Box({ low: -1, high: 1, shape: [2] }));
    expect(() => PPO.logits(gaussian, one)).toThrow(/the policy is Gaussian, which has no logits/);
  });

  it("of DQN's actions decide what it does", () => {
    const config = DQNConfig({ hiddenSizes: [8], dueling: true });
    const state = DQN.init(key, [3], 4, config);
    const values = DQN.qValuesBatch(state, obs, { config });
    expect(values.shape).toEqual([5, 4]);
    expectNear(DQN.qValues(state, one, { config }), values.slice(2));
    const [best] = DQN.actBatch(state, obs, { config, explore: false });
    expect(values.argmax(-1).toArray()).toEqual(best.toArray());
  });

  it("of SAC's critics are two", () => {
    const state = SAC.init(key, [3], 2);
    const action = np.full([5, 2], 0.3);
    const [q1, q2] = SAC.qValuesBatch(state, obs, action);
    expect([q1.shape, q2.shape]).toEqual([[5], [5]]);
    expect(q1.toArray()).not.toEqual(q2.toArray());
    const alone = SAC.qValues(state, one, action.slice(2));
    const byName = TwinQNetwork.apply(state.criticParams, obs, action);
    [q1, q2].forEach((q, at) => {
      expectNear(alone[at], q.slice(2));
      expectNear(byName[at], q);
    });
  });
});

describe("networks by their names", () => {
  it("are those of the agents", () => {
    const { params } = PPO.init(key, [3], 4);
    // No type error: either kind has no fields of the other.
    if (params.actor === undefined) throw new Error("separate networks are the default");
    expectTypeOf(params).toEqualTypeOf<ActorCritic>();
    const [policy, value] = ActorCritic.apply(params, obs);
    expectNear(Critic.apply(params.critic, obs), value);
    expect(ActorCategorical.apply(params.actor, obs).argmax(-1).toArray()).toEqual(policy.mode().toArray());
    const shared = PPO.init(key, [3], 4, { sharedBackbone: true }).params;
    if (shared.backbone === undefined) throw new Error("a shared network was asked for");
    expectTypeOf(shared).toEqualTypeOf<ActorCriticShared>();
    expect(ActorCriticShared.apply(shared, obs)[1].shape).toEqual([5]);
    const dqn = DQN.init(key, [3], 4);
    expectNear(QNetwork.apply(dqn.params, obs), DQN.qValuesBatch(dqn, obs));
    const sac = SAC.init(key, [3], 2);
    const { mean, logStd } = GaussianActor.apply(sac.actorParams, obs);
    const [greedy] = SAC.actBatch(sac, obs, { explore: false });
    expectNear(np.tanh(mean), greedy);
    expect(logStd.max().item()).toBeLessThanOrEqual(2);
  });

  it("are made for shapes and widths", () => {
    const sizes = { hiddenSizes: [8, 6] };
    const widths = (network: QNetwork) => ("cnn" in network ? [] : network.map(({ b }) => b.shape[0]));
    expect(widths(ActorCategorical.init(key, [3], 4, sizes))).toEqual([8, 6, 4]);
    expect(widths(Critic.init(key, [3], sizes))).toEqual([8, 6, 1]);
    expect(widths(QNetwork.init(key, [3], 4, { ...sizes, dueling: true }))).toEqual([8, 6, 5]);
    expect(widths(GaussianActor.init(key, [3], 2, sizes))).toEqual([8, 6, 4]);
    expect(widths(TwinQNetwork.init(key, [3], 2, sizes).q2)).toEqual([8, 6, 1]);
    expect(widths(ActorCritic.init(key, [3], 4, sizes).actor)).toEqual([8, 6, 4]);
    expect(widths(ActorCriticShared.init(key, [3], 4, sizes).policy)).toEqual([4]);
    expect(widths(ActorCategorical.init(key, [3], 4))).toEqual([64, 64, 4]);
    expect(() => Critic.init(key, [3], { hiddenSizes: [0] })).toThrow(/hiddenSizes must be/);
  });
});
