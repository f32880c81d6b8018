// Networks of one's own in PPO, DQN and SAC.
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { DQN, type DQNState } from "vibe-rl/algorithms/dqn";
import {
  PPO,
  PPOConfig,
  type PPOState,
  type SeparateParams,
  type SharedParams,
} from "vibe-rl/algorithms/ppo";
import { SAC, type SACState } from "vibe-rl/algorithms/sac";
import { nn, np, random, tree, type Array } from "vibe-rl/array";
import { Box, cartPole, AutoResetWrapper } from "vibe-rl/env";
import { cnn, initializers, mlp, type CNNNetworkParams, type MLPParams, type Network } from "vibe-rl/nn";

const key = random.key(0);
const obs = random.normal(random.key(1), [6, 4]);
const bits = (value: unknown): unknown => tree.leaves(value).map((leaf) => (leaf as Array).toArray());

/** Compiled and not: sums may run in another order. */
const expectNear = (x: Array, y: Array): void => {
  expect(x.shape).toEqual(y.shape);
  expect(np.abs(x.sub(y)).max().item()).toBeLessThan(1e-4);
};

interface Linear {
  readonly w: Array;
}
/** A network that nobody has made before. */
const linear: Network<Linear> = {
  init: (rng, inputShape, outputSize) => ({
    w: random.normal(rng, [inputShape.reduce((product, extent) => product * extent, 1), outputSize]),
  }),
  apply: ({ w }, x) => x.reshape([x.shape[0], w.shape[0]]).matmul(w),
};
const both = { actor: linear, critic: linear };

/** PPO's own networks, said in full. */
const likePPO = (hiddenSizes: readonly number[]) => ({
  actor: mlp({ hiddenSizes, lastKernelInit: initializers.orthogonal(0.01) }),
  critic: mlp({ hiddenSizes }),
});

describe("PPO with networks of one's own", () => {
  const env = AutoResetWrapper(cartPole());
  const params = env.defaultParams();
  const shape = { numEnvs: 2, nSteps: 8, nMinibatches: 2, nEpochs: 2 };

  it("acts and learns bit for bit as with its own, if they are these", () => {
    const networks = likePPO([8, 6]);
    const [own, same] = [
      {
        state: PPO.init(key, [4], 2, { ...shape, hiddenSizes: [8, 6] }),
        options: { config: { ...shape, hiddenSizes: [8, 6] } },
      },
      { state: PPO.init(key, [4], 2, shape, { networks }), options: { config: shape, networks } },
    ].map(({ state, options }) => {
      const [first, envState] = env.reset(key, params);
      const starts = [first, first.mul(2)];
      const [played, rollout, , , lastValue] = PPO.collectRolloutBatch(
        state,
        np.stack(starts),
        tree.map((x) => np.stack([x, x]), envState),
        (...args) => env.step(...args),
        params,
        options,
      );
      const [learned, metrics] = PPO.update(played, rollout, lastValue, options);
      const asked = PPO.evaluateActions(learned.params, obs, np.zeros([6], { dtype: "int32" }), options);
      return bits([
        learned,
        metrics,
        asked,
        PPO.logitsBatch(learned, obs, options),
        PPO.getValueBatch(learned, obs, options),
      ]);
    });
    expect(same).toEqual(own);
  });

  it("takes any network, and types know its parameters", () => {
    const networks = { actor: linear, critic: mlp({ hiddenSizes: [8] }) };
    const state = PPO.init(key, [2, 2], 3, shape, { networks });
    expectTypeOf(state.params.actor).toEqualTypeOf<Linear>();
    expectTypeOf(state.params.critic).toEqualTypeOf<MLPParams>();
    expect(state.params.actor.w.shape).toEqual([4, 3]);
    const given = random.normal(key, [5, 2, 2]);
    const [action, logProb, value, next] = PPO.actBatch(state, given, { config: shape, networks });
    expectTypeOf(next.params.actor).toEqualTypeOf<Linear>();
    expect([action.shape, logProb.shape, value.shape]).toEqual([[5], [5], [5]]);
    expectNear(PPO.logitsBatch(state, given, { networks }), linear.apply(state.params.actor, given));
  });

  it("has a Gaussian policy around the actor's outputs where actions are continuous", () => {
    const state = PPO.init(key, [4], Box({ low: -1, high: 1, shape: [3] }), {}, { networks: both });
    expect(state.params.logStd?.shape).toEqual([3]);
    const [mean] = PPO.actBatch(state, obs, { explore: false, networks: both });
    expectNear(mean, linear.apply(state.params.actor, obs));
  });

  it("says what is wrong with them, and which", () => {
    const make = (networks: object, config: object = {}) =>
      PPO.init(key, [4], 2, config, { networks: networks as typeof both });
    expect(() => make({ actor: linear })).toThrow(
      /PPO.init: networks.critic is missing; networks are { actor, critic }/,
    );
    expect(() => make({ ...both, value: linear })).toThrow(
      /there is no network `value`; networks are { actor, critic }/,
    );
    expect(() => make({ ...both, critic: { init: () => ({}) } })).toThrow(
      /networks.critic.apply must be a function, got nothing; a Network has init/,
    );
    const outputs = (apply: (params: Linear, x: Array) => unknown) => ({
      ...both,
      actor: { ...linear, apply },
    });
    expect(() => make(outputs((_, x) => x))).toThrow(
      /PPO.init: networks.actor.apply must give float32 \[2,2\] for x .*\[2,4\].*, got .*\[2,4\]/,
    );
    expect(() => make(outputs(() => 3))).toThrow(/networks.actor.apply must give float32 \[2,2\] .*, got 3/);
    expect(() =>
      make({ ...both, actor: { ...linear, init: () => ({ w: np.zeros([4, 2]), name: 3 }) } }),
    ).toThrow(/networks.actor.init must give a tree of float32 arrays, got 3 at name/);
    expect(() => make({ ...both, actor: { ...linear, init: () => undefined } })).toThrow(
      /networks.actor.init must give a tree of float32 arrays, got undefined/,
    );
    for (const [field, value] of [
      ["hiddenSizes", [8]],
      ["network", "mlp"],
      ["sharedBackbone", true],
    ]) {
      expect(() => make(both, { [field as string]: value })).toThrow(
        new RegExp(`PPO.init: config.${field as string} is .* leave out ${field as string} or networks`),
      );
    }
  });

  it("must be given wherever the agent computes", () => {
    const state = PPO.init(key, [4], 2, {}, { networks: both });
    expect(() => PPO.actBatch(state, obs)).toThrow(
      /params.actor is not what .* own networks have; give the networks/,
    );
  });

  it("is compiled once for the same networks, in whatever object they come", () => {
    let traces = 0;
    const counting = () => ({ ...linear, apply: (p: Linear, x: Array) => (traces++, linear.apply(p, x)) });
    const [actor, critic] = [counting(), counting()];
    const state = PPO.init(key, [4], 2, {}, { networks: { actor, critic } });
    PPO.actBatch(state, obs, { networks: { actor, critic } });
    const before = traces;
    PPO.actBatch(state, obs, { networks: { critic, actor } });
    expect(traces).toBe(before);
    PPO.actBatch(state, obs, { networks: { actor: counting(), critic } });
    expect(traces).toBeGreaterThan(before);
  });

  it("warns of networks that are made anew for every call", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const state = PPO.init(key, [4], 2, {}, { networks: both });
    for (let at = 0; at < 64; at++)
      PPO.getValueBatch(state, obs, { networks: { ...both, critic: { ...linear } } });
    expect(warn.mock.calls.join()).toMatch(/getValueBatch has been compiled for 64 different networks/);
    warn.mockRestore();
  });
});

describe("DQN with a network of one's own", () => {
  const batch = {
    ...{ obs, action: np.zeros([6], { dtype: "int32" }), reward: np.ones([6]), nextObs: obs.mul(2) },
    done: np.zeros([6], { dtype: "bool" }),
  };

  it("acts and learns bit for bit as with its own, if it is this one", () => {
    for (const dueling of [false, true]) {
      const config = { dueling, double: true };
      const networks = { q: mlp({ hiddenSizes: [8], activation: nn.relu }) };
      const results = [
        {
          state: DQN.init(key, [4], 3, { ...config, hiddenSizes: [8] }),
          options: { config: { ...config, hiddenSizes: [8] } },
        },
        { state: DQN.init(key, [4], 3, config, { networks }), options: { config, networks } },
      ].map(({ state, options }) => {
        const [learned, metrics] = DQN.update(state, batch, options);
        return bits([
          learned,
          metrics,
          DQN.actBatch(learned, obs, options),
          DQN.qValuesBatch(learned, obs, options),
        ]);
      });
      expect(results[1]).toEqual(results[0]);
    }
  });

  it("learns with any network, types included", () => {
    const state = DQN.init(key, [4], 3, {}, { networks: { q: linear } });
    expectTypeOf(state).toEqualTypeOf<DQNState<Linear>>();
    const [learned] = DQN.update(state, batch, { networks: { q: linear } });
    expect(learned.params.w.toArray()).not.toEqual(state.params.w.toArray());
    expect(() => DQN.init(key, [4], 3, { hiddenSizes: [4] }, { networks: { q: linear } })).toThrow(
      /DQN.init: config.hiddenSizes is \[4\]/,
    );
    expect(() => DQN.init(key, [4], 3, {}, { networks: { actor: linear } as never })).toThrow(
      /there is no network `actor`; networks are { q }/,
    );
    const short = { ...linear, apply: ({ w }: Linear, x: Array) => x.matmul(w).slice(":", ":2") };
    expect(() => DQN.init(key, [4], 3, {}, { networks: { q: short } })).toThrow(
      /networks.q.apply must give float32 \[2,3\] .*, got .*\[2,2\]/,
    );
  });
});

describe("SAC with networks of one's own", () => {
  const batchOf = (seen: Array) => ({
    ...{ obs: seen, action: np.full([6, 2], 0.5), reward: np.ones([6]), nextObs: seen },
    done: np.zeros([6], { dtype: "bool" }),
  });

  it("acts and learns bit for bit as with its own, if they are these", () => {
    const critic = mlp({ hiddenSizes: [8], activation: nn.relu });
    const lastKernelInit = initializers.orthogonal(0.01);
    const networks = { actor: mlp({ hiddenSizes: [8], activation: nn.relu, lastKernelInit }), critic };
    const results = [
      { state: SAC.init(key, [4], 2, { hiddenSizes: [8] }), options: { config: { hiddenSizes: [8] } } },
      { state: SAC.init(key, [4], 2, {}, { networks }), options: { networks } },
    ].map(({ state, options }) => {
      const [learned, metrics] = SAC.update(state, batchOf(obs), options);
      return bits([learned, metrics, SAC.actBatch(learned, obs, options)]);
    });
    expect(results[1]).toEqual(results[0]);
  });

  it("shows the critic images with the action in channels of their own", () => {
    const seen: (readonly number[])[] = [];
    const watching: Network<Linear> = {
      ...linear,
      apply: (params, x) => (seen.push(x.shape), linear.apply(params, x)),
    };
    const actor = cnn({ channels: [4], kernels: [3], strides: [2], hiddenSizes: [8] });
    const networks = { actor, critic: watching };
    const images = random.randint(key, [6, 7, 7, 3], 0, 256).astype("uint8");
    const state = SAC.init(key, [7, 7, 3], 2, {}, { networks });
    expectTypeOf(state).toEqualTypeOf<SACState<CNNNetworkParams, Linear>>();
    expect(seen).toEqual([
      [2, 7, 7, 5],
      [2, 7, 7, 5],
    ]);
    const action = np.broadcastTo(np.array([0.25, -0.5]), [6, 2]);
    const [q1] = SAC.qValuesBatch(state, images, action, { networks });
    const channels = np.broadcastTo(np.array([0.25, -0.5]), [6, 7, 7, 2]);
    const joined = np.concatenate([images.astype("float32").mul(1 / 255), channels], -1);
    const wanted = linear.apply(state.criticParams.q1, joined).slice(":", 0);
    expectNear(q1, wanted);
    const [learned] = SAC.update(state, batchOf(images), { networks });
    expect(learned.actorParams.mlp[0].w.shape).toEqual([8, 4]);
  });

  it("says what is wrong with them, and which", () => {
    const narrow = { ...linear, init: (rng: Array) => ({ w: random.normal(rng, [4, 2]) }) };
    expect(() => SAC.init(key, [4], 2, {}, { networks: { ...both, actor: narrow } })).toThrow(
      /SAC.init: networks.actor.apply must give float32 \[2,4\] .*, got .*\[2,2\]/,
    );
    expect(() => SAC.init(key, [4], 2, { network: "mlp" }, { networks: both })).toThrow(
      /config.network is "mlp"/,
    );
  });
});

describe("the types of params", () => {
  it("narrow: an actor and a critic unless a backbone is shared", () => {
    const state = PPO.init(key, [4], 2);
    expectTypeOf(state).toEqualTypeOf<PPOState<SeparateParams>>();
    expect(state.params.actor).toHaveLength(3);
    expectTypeOf(PPO.init(key, [4], 2, { lr: 1e-3 }).params).toEqualTypeOf<SeparateParams>();
    expectTypeOf(PPO.init(key, [4], 2, { sharedBackbone: true }).params).toEqualTypeOf<SharedParams>();
    expectTypeOf(PPO.init(key, [4], 2, PPOConfig()).params).toEqualTypeOf<SeparateParams>();
    expectTypeOf(
      PPO.init(key, [4], 2, PPOConfig({ sharedBackbone: true })).params,
    ).toEqualTypeOf<SharedParams>();
    const [, , , next] = PPO.act(state, np.zeros([4]));
    expectTypeOf(next.params).toEqualTypeOf<SeparateParams>();
    const any: PPOState = state;
    expectTypeOf(any.params).toEqualTypeOf<SeparateParams | SharedParams>();
  });
});
