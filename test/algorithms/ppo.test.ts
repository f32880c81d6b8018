// PPO: acting, collecting, updating, and its switches.
/* oxlint-disable typescript/unbound-method -- environments are plain functions */
import { describe, expect, it } from "vitest";
import { computeGae, PPO, PPOConfig, ppoLoss, type PPOParams, type PPOState } from "vibe-rl/algorithms/ppo";
import { jit, np, random, tree, vmap, type Array } from "vibe-rl/array";
import { AutoResetWrapper, Box, make } from "vibe-rl/env";
import { expectClose } from "../closeness.js";
import { ppoLoop } from "./loops.js";
import { endless, imageProbe, paintSign, probes } from "./probes.js";

const key = random.key(0);
const config = PPOConfig({ hiddenSizes: [16, 16], nSteps: 8, numEnvs: 3, nMinibatches: 2, nEpochs: 2 });
const [cartPole, cartPoleParams] = make("CartPole-v1", { maxSteps: 5 });
const env = AutoResetWrapper(cartPole);

const freshCartPole = (given: Partial<PPOConfig> = {}): PPOState =>
  PPO.init(key, [4], 2, PPOConfig({ ...config, ...given }));

function startAll(count: number) {
  return vmap(env.reset, [0, null])(random.split(key, count), cartPoleParams);
}

const collect = (state: PPOState) => {
  const [obs, envState] = startAll(3);
  return PPO.collectRolloutBatch(state, obs, envState, env.step, cartPoleParams, { config });
};

const parameters = ({ params }: PPOState): number[] =>
  tree.leaves(params).flatMap((leaf) => [...leaf.data()]);

describe("PPO.act", () => {
  const state = freshCartPole();
  const obs = random.normal(key, [5, 4]);

  it("gives an action, its log-probability, a value and the next state", () => {
    const [action, logProb, value, next] = PPO.act(state, obs.slice(0), { config });
    expect([action.dtype, action.shape, logProb.shape, value.shape]).toEqual(["int32", [], [], []]);
    expect(next.rng.toArray()).not.toEqual(state.rng.toArray());
    expect(value.item()).toBeCloseTo(PPO.getValue(state, obs.slice(0), { config }).item(), 6);
  });

  it("agrees with evaluateActions and getValueBatch on batches", () => {
    const [actions, logProbs, values] = PPO.actBatch(state, obs, { config });
    const [again, sameValues, entropy] = PPO.evaluateActions(state.params, obs, actions, { config });
    expectClose([again, sameValues], [logProbs, values], { atol: 1e-6 });
    expectClose(PPO.getValueBatch(state, obs, { config }), values, { atol: 1e-6 });
    // A fresh policy gives nearly equal chances.
    expectClose(entropy, np.full([5], Math.log(2)), { atol: 1e-3 });
  });

  it("takes the likeliest action where it does not explore", () => {
    const sharp = PPO.init(key, [4], 3, config);
    const options = { config, explore: false };
    const [first, logProb] = PPO.actBatch(sharp, obs, options);
    const [second] = PPO.actBatch({ ...sharp, rng: random.key(9) }, obs, options);
    expect(first.toArray()).toEqual(second.toArray());
    expect(
      logProb
        .greaterEqual(Math.log(1 / 3))
        .all()
        .item(),
    ).toBe(true);
  });

  it("is a Gaussian for a Box", () => {
    const box = Box({ low: -1, high: 1, shape: [2] });
    const gaussian = PPO.init(key, [4], box, config);
    const [action, logProb] = PPO.actBatch(gaussian, obs, { config });
    expect([action.shape, logProb.shape]).toEqual([[5, 2], [5]]);
    const [mean] = PPO.actBatch(gaussian, obs, { config, explore: false });
    // Deviations start at 1.
    const expected = np
      .square(action.sub(mean))
      .sum(-1)
      .mul(-0.5)
      .sub(Math.log(2 * Math.PI));
    expectClose(logProb, expected, { atol: 1e-5 });
  });
});

describe("PPO.collectRollout", () => {
  it("plays one environment", () => {
    const state = freshCartPole();
    const [obs, envState] = env.reset(key, cartPoleParams);
    const [next, rollout, lastObs, lastState, lastValue] = PPO.collectRollout(
      ...([state, obs, envState, env.step, cartPoleParams, { config }] as const),
    );
    expect([rollout.obs.shape, rollout.action.shape, rollout.done.shape]).toEqual([[8, 4], [8], [8]]);
    expect(rollout.obs.slice(0).toArray()).toEqual(obs.toArray());
    expectClose(lastValue, PPO.getValue(state, lastObs, { config }), { atol: 1e-6 });
    expect(lastState.time.item()).toBe(3);
    expect(next.rng.toArray()).not.toEqual(state.rng.toArray());
    // Episodes are cut off after five steps.
    expect(rollout.done.toArray()).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((step) => step === 4));
  });

  it("plays several side by side and records what the policy thought", () => {
    const state = freshCartPole();
    const [, rollout, lastObs, , lastValue] = collect(state);
    expect([rollout.obs.shape, rollout.reward.shape, lastValue.shape]).toEqual([[8, 3, 4], [8, 3], [3]]);
    const flatObs = rollout.obs.reshape([24, 4]);
    const [logProb, value] = PPO.evaluateActions(state.params, flatObs, rollout.action.reshape([24]), {
      config,
    });
    expectClose(rollout.logProb.reshape([24]), logProb, { atol: 1e-6 });
    expectClose(rollout.value.reshape([24]), value, { atol: 1e-6 });
    expectClose(lastValue, PPO.getValueBatch(state, lastObs, { config }), { atol: 1e-6 });
  });

  it("gives each environment its own parameters if told so", () => {
    const params = { ...cartPoleParams, maxSteps: np.int32([2, 3, 4]) };
    const [obs, envState] = startAll(3);
    const axes = { ...tree.map(() => null, cartPoleParams), maxSteps: 0 };
    const options = { config, envParamsAxes: axes };
    const [, { done }] = PPO.collectRolloutBatch(freshCartPole(), obs, envState, env.step, params, options);
    expect(done.astype("int32").sum(0).toArray()).toEqual([4, 2, 2]);
  });

  it("records the value of the last observation where an episode was cut off", () => {
    const state = freshCartPole();
    const [, rollout] = collect(state);
    const { bootstrap } = rollout;
    const cut = np.arange(8).equal(4).slice(":", null);
    expect(bootstrap.notEqual(0).equal(cut).all().item()).toBe(true);
    // The observation before the fifth step leads to the last one, which is not the next episode's first.
    const step = vmap(cartPole.step, [0, 0, 0, null]);
    const before = rollout.obs.slice(4);
    const [position, velocity, angle, angularVelocity] = before.T;
    const envState = { position, velocity, angle, angularVelocity, time: np.int32([4, 4, 4]) };
    const [terminalObs] = step(random.split(key, 3), envState, rollout.action.slice(4), cartPoleParams);
    expectClose(bootstrap.slice(4), PPO.getValueBatch(state, terminalObs, { config }), { atol: 1e-5 });
  });
});

describe("an episode that ends at the very limit", () => {
  it("is not continued by its last value", () => {
    const both = endless();
    const step: typeof both.step = (...args) => {
      const [obs, envState, reward, done, info] = both.step(...args);
      return [obs, envState, reward, done, { ...info, terminated: done }];
    };
    const state = PPO.init(key, [1], 2, config);
    const [obs, envState] = both.reset(key, null);
    const [, { bootstrap, done }] = PPO.collectRollout(state, obs, envState, step, null, { config });
    expect([done.any().item(), bootstrap.toArray()]).toEqual([true, [0, 0, 0, 0, 0, 0, 0, 0]]);
  });

  it("is not known to a step function that says nothing of it", () => {
    const silent = endless();
    const step = (...args: Parameters<typeof silent.step>) => {
      const [obs, envState, reward, done] = silent.step(...args);
      return [obs, envState, reward, done, {}] as const;
    };
    const state = PPO.init(key, [1], 2, config);
    const [obs, envState] = silent.reset(key, null);
    const [, { bootstrap }] = PPO.collectRollout(state, obs, envState, step, null, { config });
    expect(bootstrap.toArray()).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });
});

describe("PPO.update", () => {
  const [played, rollout, , , lastValue] = collect(freshCartPole());

  it("changes parameters, counts updates and measures", () => {
    const [next, metrics] = PPO.update(played, rollout, lastValue, { config });
    expect(next.step.item()).toBe(1);
    expect(next.optState[1].count.item()).toBe(4);
    expect(parameters(next)).not.toEqual(parameters(played));
    expect(Object.keys(metrics).sort()).toEqual(
      "actorLoss approxKl clipFraction criticLoss entropy explainedVariance kl totalLoss".split(" "),
    );
    for (const value of Object.values(metrics) as Array[]) expect(Number.isFinite(value.item())).toBe(true);
    expect(metrics.kl.item()).toBeGreaterThanOrEqual(0);
  });

  it("does the same interpreted", () => {
    const compiled = PPO.update(played, rollout, lastValue, { config });
    const interpreted = jit(PPO.update, { staticArgnums: 3, device: "interpreter" });
    expectClose(interpreted(played, rollout, lastValue, { config }), compiled, { rtol: 1e-4, atol: 1e-5 });
  });

  it("takes a rollout of one environment with or without an axis for it", () => {
    const first = (x: Array) => x.slice(":", 0);
    const one = tree.map(first, rollout);
    const options = { config };
    const [flat] = PPO.update(played, one, lastValue.slice(0), options);
    const expanded = tree.map((x) => x.slice(":", null), one);
    const [nested] = PPO.update(played, expanded, lastValue.slice(":1"), options);
    expectClose(flat, nested, { atol: 1e-6 });
  });

  it("adds what follows a cut-off episode to its last reward", () => {
    const { bootstrap, ...rest } = rollout;
    const added = { ...rest, reward: rest.reward.add(bootstrap.mul(config.gamma)) };
    const [ours] = PPO.update(played, rollout, lastValue, { config });
    const [byHand] = PPO.update(played, added, lastValue, { config });
    expectClose(ours.params, byHand.params, { atol: 1e-6 });
  });

  it("refuses a rollout that minibatches do not divide", () => {
    const short = tree.map((x) => x.slice(":3", 0), rollout);
    expect(() => PPO.update(played, short, lastValue.slice(0), { config })).toThrow(
      "PPO.update: nMinibatches is 2, which does not divide the 3 steps of the rollout [3]",
    );
  });

  it("stops an update once the policy has moved far enough", () => {
    const bold = PPOConfig({ ...config, lr: 0.05, nEpochs: 8, targetKl: 1e-3 });
    const [stopped, metrics] = PPO.update(played, rollout, lastValue, { config: bold });
    expect(stopped.optState[1].count.item()).toBeLessThan(8);
    const patient = PPOConfig({ ...bold, targetKl: 100 });
    const [patientState] = PPO.update(played, rollout, lastValue, { config: patient });
    const [without] = PPO.update(played, rollout, lastValue, {
      config: PPOConfig({ ...bold, targetKl: null }),
    });
    expect(patientState.optState[1].count.item()).toBe(16);
    expectClose(patientState.params, without.params, { atol: 1e-6 });
    expect(Number.isFinite(metrics.totalLoss.item())).toBe(true);
  });

  it("lowers the learning rate to nothing", () => {
    const annealed = PPOConfig({ ...config, lrSchedule: "linear", scheduleUpdates: 2 });
    const after = (step: number) =>
      PPO.update({ ...played, step: np.int32(step) }, rollout, lastValue, { config: annealed })[0];
    const [full] = PPO.update(played, rollout, lastValue, { config });
    expectClose(after(0).params, full.params, { atol: 1e-6 });
    expect(parameters(after(1))).not.toEqual(parameters(full));
    expect(parameters(after(2))).toEqual(parameters(played));
    expect(parameters(after(7))).toEqual(parameters(played));
  });

  it("lowers the limit of ratios and values likewise, as a smaller clipEps would", () => {
    const clipEps = Number(config.clipEps);
    const quick = PPOConfig({ ...config, lr: 0.01 });
    const falling = PPOConfig({ ...quick, clipSchedule: "linear", scheduleUpdates: 4 });
    const fixed = (limit: number) =>
      PPO.update(played, rollout, lastValue, { config: PPOConfig({ ...quick, clipEps: limit }) });
    for (const [step, part] of [
      [0, 1],
      [3, 0.25],
    ]) {
      const at = { ...played, step: np.int32(step) };
      const [{ params }, { clipFraction }] = PPO.update(at, rollout, lastValue, { config: falling });
      const [same, metrics] = fixed(clipEps * part);
      expectClose(params, same.params, { atol: 1e-6 });
      expect(clipFraction.item()).toBeCloseTo(metrics.clipFraction.item(), 6);
    }
    expect(fixed(clipEps * 0.25)[1].clipFraction.item()).toBeGreaterThan(
      fixed(clipEps)[1].clipFraction.item(),
    );
  });

  it("asks over how many updates its settings fall, where no runner says so", () => {
    const unknown = PPOConfig({ ...config, clipSchedule: "linear" });
    expect(() => PPO.update(played, rollout, lastValue, { config: unknown })).toThrow(
      /PPO.update: clipSchedule "linear" needs to know over how many updates: set scheduleUpdates/,
    );
  });
});

describe("ppoLoss", () => {
  const { params } = freshCartPole();
  const obs = random.normal(key, [6, 4]);
  const [logProb, value] = PPO.evaluateActions(params, obs, np.int32([0, 1, 0, 1, 0, 1]), { config });
  const batch = {
    ...{ obs, action: np.int32([0, 1, 0, 1, 0, 1]), logProb, value: value.add(1) },
    ...{ advantage: np.array([1, 2, 3, 4, 5, 6]), returns: value.add(0.5) },
  };

  it("keeps values near their old ones if told so", () => {
    const critic = (clipValueLoss: boolean) =>
      ppoLoss(params, batch, { config: { ...config, clipValueLoss } })[1].criticLoss.item();
    // The error is 0.5; kept within 0.2 of the old value it is 1 − 0.2 − 0.5.
    expect(critic(false)).toBeCloseTo(0.5 * 0.5 ** 2, 5);
    expect(critic(true)).toBeCloseTo(0.5 * 0.5 ** 2, 5);
    const far = { ...batch, value: value.sub(2) };
    const kept = ppoLoss(params, far, { config })[1].criticLoss.item();
    expect(kept).toBeCloseTo(0.5 * 2.3 ** 2, 4);
  });

  it("normalises advantages if told so", () => {
    const actor = (normalizeAdvantage: boolean) =>
      ppoLoss(params, batch, { config: { ...config, normalizeAdvantage } })[1].actorLoss.item();
    expect(actor(false)).toBeCloseTo(-3.5, 5);
    expect(actor(true)).toBeCloseTo(0, 5);
  });
});

describe("computeGae", () => {
  it("is the sum of discounted rewards for lambda 1, and one step for lambda 0", () => {
    const [rewards, values, dones] = [np.array([1, 2, 3]), np.array([0.5, 0.25, 0.125]), np.zeros([3])];
    const [, returns] = computeGae(rewards, values, dones, np.float32(10), 0.5, 1);
    expectClose(returns, np.array([1 + 1 + 0.75 + 1.25, 2 + 1.5 + 2.5, 3 + 5]), { rtol: 1e-6 });
    const [oneStep] = computeGae(rewards, values, dones, np.float32(10), 0.5, 0);
    expectClose(oneStep, np.array([1 + 0.125 - 0.5, 2 + 0.0625 - 0.25, 3 + 5 - 0.125]), { rtol: 1e-6 });
  });
});

describe("PPO in a compiled loop", () => {
  it("sees through time limits", () => {
    const learning = PPOConfig({
      ...{ gamma: 0.5, nSteps: 16, numEnvs: 4, hiddenSizes: [8], lr: 1e-2, clipValueLoss: false },
    });
    const [agent] = jit(ppoLoop(endless(), learning, 100))(key, null);
    expect(Math.abs(PPO.getValue(agent, np.ones([1]), { config: learning }).item() - 2)).toBeLessThan(0.1);
  });

  it("learns from images", () => {
    const probe = probes.find(({ params }) => params.fitsSign.item() === 1) ?? probes[0];
    for (const sharedBackbone of [false, true]) {
      const learning = PPOConfig({
        ...{ nSteps: 4, numEnvs: 16, hiddenSizes: [16], lr: 1e-3, sharedBackbone },
      });
      const [agent] = jit(ppoLoop(imageProbe("discrete"), learning, 40))(key, probe.params);
      expect(JSON.stringify(Object.keys(agent.params))).toContain(sharedBackbone ? "backbone" : "actor");
      for (const [sign, best] of [
        [-1, 0],
        [1, 1],
      ]) {
        const obs = paintSign(np.float32(sign));
        const [action, , value] = PPO.act(agent, obs, { config: learning, explore: false });
        expect(action.item()).toBe(best);
        expect(Math.abs(value.item() - 1)).toBeLessThan(0.15);
      }
    }
  });

  it("learns CartPole", () => {
    const [full, params] = make("CartPole-v1");
    const learning = PPOConfig({ numEnvs: 4, lr: 1e-3, lrSchedule: "linear", scheduleUpdates: 100 });
    const [, { episodeLength, entropy }] = jit(ppoLoop(AutoResetWrapper(full), learning, 100))(key, params);
    expect(episodeLength.slice(":5").mean().item()).toBeLessThan(50);
    expect(episodeLength.slice("-10:").mean().item()).toBeGreaterThan(200);
    expect(entropy.slice(-1).item()).toBeLessThan(entropy.slice(0).item());
  });
});

describe("PPO's parameters", () => {
  it("are two networks, or one with two heads", () => {
    const shapes = (params: PPOParams) => tree.map((leaf) => leaf.shape.join("×"), params) as unknown;
    expect(shapes(freshCartPole().params)).toEqual({
      actor: [
        { w: "4×16", b: "16" },
        { w: "16×16", b: "16" },
        { w: "16×2", b: "2" },
      ],
      critic: [
        { w: "4×16", b: "16" },
        { w: "16×16", b: "16" },
        { w: "16×1", b: "1" },
      ],
    });
    expect(shapes(freshCartPole({ sharedBackbone: true }).params)).toEqual({
      backbone: [
        { w: "4×16", b: "16" },
        { w: "16×16", b: "16" },
      ],
      policy: [{ w: "16×2", b: "2" }],
      value: [{ w: "16×1", b: "1" }],
    });
  });
});
