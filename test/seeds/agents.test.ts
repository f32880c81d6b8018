// The examples of the original's page "Agent Protocol" (seed 003), translated one to one: namespaces of static methods
// are objects of functions, `state._replace(rng=rng)` is `{ ...state, rng }`.
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  AgentState,
  assertAgent,
  AutoResetWrapper,
  computeGae,
  DQN,
  DQNConfig,
  grad,
  isAgent,
  jit,
  make,
  np,
  PPO,
  PPOConfig,
  random,
  SAC,
  SACConfig,
  tree,
  vmap,
  type Agent,
  type Array,
  type Metrics,
  type Transition,
} from "vibe-rl";

const rng = random.key(0);
const obs = random.normal(random.key(1), [4]);
const batchOf = (action: Array): Transition => ({
  obs: random.normal(random.key(2), [6, 4]),
  action,
  reward: np.ones([6]),
  nextObs: random.normal(random.key(3), [6, 4]),
  done: np.zeros([6]),
});

describe("AgentState", () => {
  it("AgentState.initial: a state at step 0", () => {
    const state = AgentState.initial({ w: np.ones([2]) }, null, rng);
    expect(Object.keys(state)).toEqual(["params", "optState", "step", "rng"]);
    expect(state.step.item()).toBe(0);
  });
});

describe("PPO", () => {
  const config = PPOConfig({ nSteps: 16, numEnvs: 3, nMinibatches: 4, nEpochs: 2 });
  const state = PPO.init(rng, [4], 2, config);

  it("PPOConfig: every field has the original's default", () => {
    expect(PPOConfig()).toMatchObject({
      ...{ hiddenSizes: [64, 64], lr: 2.5e-4, maxGradNorm: 0.5, gamma: 0.99, gaeLambda: 0.95, clipEps: 0.2 },
      ...{ vfCoef: 0.5, entCoef: 0.01, nSteps: 128, nMinibatches: 4, nEpochs: 4, numEnvs: 1 },
      sharedBackbone: false,
    });
  });

  it("PPO.init: separate networks, or a shared backbone", () => {
    expect(Object.keys(state).sort()).toEqual(["optState", "params", "rng", "step"]);
    expect(Object.keys(state.params).sort()).toEqual(["actor", "critic"]);
    expect(PPO.init(rng, [4], 2, PPOConfig({ sharedBackbone: true })).params.backbone).toBeDefined();
  });

  it("PPO.act and PPO.act_batch: action, log_prob, value, new_state", () => {
    const [action, logProb, value, newState] = PPO.act(state, obs, { config });
    expect([action.shape, logProb.shape, value.shape]).toEqual([[], [], []]);
    expect(newState.rng.toArray()).not.toEqual(state.rng.toArray());
    const [actions, logProbs, values] = PPO.actBatch(state, np.stack([obs, obs, obs]), { config });
    expect([actions.shape, logProbs.shape, values.shape]).toEqual([[3], [3], [3]]);
  });

  it("PPO.evaluate_actions, PPO.get_value and PPO.get_value_batch", () => {
    const many = np.stack([obs, obs]);
    const [logProbs, values, entropy] = PPO.evaluateActions(state.params, many, np.int32([0, 1]), { config });
    expect([logProbs.shape, values.shape, entropy.shape]).toEqual([[2], [2], [2]]);
    expect(PPO.getValue(state, obs, { config }).item()).toBeCloseTo(values.data()[0], 5);
    expect(PPO.getValueBatch(state, many, { config }).shape).toEqual([2]);
  });

  it("PPO.collect_rollout_batch and PPO.update", () => {
    const [cartPole, envParams] = make("CartPole-v1");
    const env = AutoResetWrapper(cartPole);
    const [envObs, envStates] = vmap((key: Array) => env.reset(key, envParams))(random.split(rng, 3));
    const step = env.step.bind(env);

    const [played, trajectories, finalObs, , lastValue] = PPO.collectRolloutBatch(
      ...([state, envObs, envStates, step, envParams, { config }] as const),
    );
    expect([trajectories.obs.shape, finalObs.shape, lastValue.shape]).toEqual([[16, 3, 4], [3, 4], [3]]);
    const [newState, metrics] = PPO.update(played, trajectories, lastValue, { config });
    expect(newState.step.item()).toBe(1);
    const { totalLoss, actorLoss, criticLoss, entropy, approxKl } = metrics;
    for (const field of [totalLoss, actorLoss, criticLoss, entropy, approxKl])
      expect(field.shape).toEqual([]);
  });

  it("PPO.collect_rollout: a single environment", () => {
    const [cartPole, envParams] = make("CartPole-v1");
    const env = AutoResetWrapper(cartPole);
    const [envObs, envState] = env.reset(rng, envParams);
    const step = env.step.bind(env);
    const [, trajectories] = PPO.collectRollout(state, envObs, envState, step, envParams, { config });
    expect(Object.values(trajectories).every((field: Array) => field.shape[0] === 16)).toBe(true);
  });

  it("compute_gae: (T,) and (T, N)", () => {
    const [rewards, values, dones] = [np.ones([5, 2]), np.zeros([5, 2]), np.zeros([5, 2])];
    const [advantages, returns] = computeGae(rewards, values, dones, np.zeros([2]), 0.99, 0.95);
    expect([advantages.shape, returns.shape]).toEqual([
      [5, 2],
      [5, 2],
    ]);
    const column = (x: Array) => x.slice(":", 0);
    const [alone] = computeGae(column(rewards), column(values), column(dones), np.float32(0), 0.99, 0.95);
    expect(alone.toArray()).toEqual(column(advantages).toArray());
  });
});

describe("DQN", () => {
  const config = DQNConfig({ hiddenSizes: [8] });

  it("DQNConfig: every field has the original's default", () => {
    expect(DQNConfig()).toMatchObject({
      ...{ hiddenSizes: [128, 128], lr: 1e-3, gamma: 0.99, batchSize: 64, maxGradNorm: 10 },
      ...{ targetUpdateFreq: 1_000, epsilonStart: 1, epsilonEnd: 0.01, epsilonDecaySteps: 50_000 },
    });
  });

  it("DQN.init, DQN.act and DQN.update", () => {
    const state = DQN.init(rng, [4], 2, config);
    expect(Object.keys(state).sort()).toEqual(["optState", "params", "rng", "step", "targetParams"]);
    const [action, acted] = DQN.act(state, obs, { config, explore: true });
    expect([action.shape, action.dtype]).toEqual([[], "int32"]);
    const [newState, metrics] = DQN.update(acted, batchOf(np.int32([0, 1, 0, 1, 0, 1])), { config });
    expect(newState.step.item()).toBe(1);
    expect(Object.keys(metrics).sort()).toEqual(["epsilon", "loss", "qMean"]);
  });
});

describe("SAC", () => {
  const config = SACConfig({ hiddenSizes: [8] });

  it("SACConfig: the original's defaults; bounds are the action space's, and −1 and 1 without one", () => {
    expect(SACConfig()).toMatchObject({
      ...{
        hiddenSizes: [256, 256],
        actorLr: 3e-4,
        criticLr: 3e-4,
        alphaLr: 3e-4,
        gamma: 0.99,
        batchSize: 256,
      },
      ...{ maxGradNorm: 10, tau: 0.005, initAlpha: 1, autotuneAlpha: true, targetEntropyScale: 1 },
      ...{ logStdMin: -20, logStdMax: 2 },
    });
    const { actionLow, actionHigh } = SAC.init(rng, [4], 2, config);
    expect([actionLow.toArray(), actionHigh.toArray()]).toEqual([
      [-1, -1],
      [1, 1],
    ]);
  });

  it("SAC.init, SAC.act and SAC.update", () => {
    const state = SAC.init(rng, [4], 2, config);
    const names = ["actorParams", "criticParams", "targetCriticParams", "actorOptState", "criticOptState"];
    expect(Object.keys(state)).toEqual(expect.arrayContaining([...names, "logAlpha", "alphaOptState"]));
    const [action, acted] = SAC.act(state, obs, { config, explore: true });
    expect(action.shape).toEqual([2]);
    const [newState, metrics] = SAC.update(acted, batchOf(np.full([6, 2], 0.1)), { config });
    expect(newState.step.item()).toBe(1);
    expect(Object.keys(metrics).sort()).toEqual(
      ["actorLoss", "alpha", "alphaLoss", "criticLoss", "entropy", "qMean"].sort(),
    );
  });
});

describe("Custom Agent Guide", () => {
  interface MyConfig {
    readonly lr: number;
  }
  type MyState = AgentState<{ readonly w: Array }, null>;

  const MyAgent = {
    // Initialize networks, optimizer, etc.
    init: (key: Array, obsShape: readonly number[], nActions: number, _config: MyConfig): MyState =>
      AgentState.initial({ w: np.zeros([obsShape[0], nActions]) }, null, key),

    act: jit(
      (state: MyState, seen: Array, { explore = true }: { explore?: boolean } = {}): [Array, MyState] => {
        const [next, key] = random.split(state.rng);
        // Select action from your policy
        const logits = seen.matmul(state.params.w);
        const action = explore ? random.categorical(key, logits) : logits.argmax();
        return [action, { ...state, rng: next }];
      },
    ),

    update: jit((state: MyState, batch: Transition): [MyState, Metrics] => {
      // Compute loss, apply gradients
      const loss = ({ w }: { readonly w: Array }) =>
        np.square(batch.obs.matmul(w).sum(-1).sub(batch.reward)).mean();
      const gradients = grad(loss)(state.params);
      const params = tree.map((p: Array, g: Array) => p.sub(g.mul(0.1)), state.params, gradients);
      return [{ ...state, params, step: state.step.add(1) }, { loss: loss(state.params) }];
    }),
  } satisfies Agent<MyState, MyConfig>;

  it("Verify protocol compliance", () => {
    // assert isinstance(MyAgent, Agent)
    expect(isAgent(MyAgent)).toBe(true);
    assertAgent(MyAgent);
  });

  it("acts and learns", () => {
    const state = MyAgent.init(rng, [4], 2, { lr: 0.1 });
    const [action] = MyAgent.act(state, obs);
    expect(action.dtype).toBe("int32");
    const [learned, first] = MyAgent.update(state, batchOf(np.zeros([6])));
    const [, second] = MyAgent.update(learned, batchOf(np.zeros([6])));
    expectTypeOf(first).toEqualTypeOf<Metrics>();
    expect(second.loss.item()).toBeLessThan(first.loss.item());
  });
});
