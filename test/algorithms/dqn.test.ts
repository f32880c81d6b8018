// DQN: exploration, targets, and its switches.
import { describe, expect, it } from "vitest";
import { ReplayBuffer, type NetworkParams, type Transition } from "vibe-rl/agent";
import { DQN, DQNConfig, dqnLoss, type DQNState } from "vibe-rl/algorithms/dqn";
import { jit, np, random, tree } from "vibe-rl/array";
import { Discrete } from "vibe-rl/env";
import { expectClose } from "../closeness.js";
import { dqnAgent, offPolicyLoop } from "./loops.js";
import { endless, imageProbe, paintSign, probes } from "./probes.js";

const key = random.key(0);
const config = DQNConfig({ hiddenSizes: [8], targetUpdateFreq: 3, epsilonDecaySteps: 100, epsilonEnd: 0.2 });
const fresh = (): DQNState => DQN.init(key, [2], Discrete(3), config);

const batch: Transition = {
  obs: random.normal(random.key(1), [16, 2]),
  action: random.randint(random.key(2), [16], 0, 3),
  reward: random.normal(random.key(3), [16]),
  nextObs: random.normal(random.key(4), [16, 2]),
  done: random.bernoulli(random.key(5), 0.3, [16]),
};

const parameters = (params: NetworkParams): number[] =>
  tree.leaves(params).flatMap((leaf) => [...leaf.data()]);

describe("DQN.act", () => {
  it("is random as often as epsilon says", () => {
    const many = np.broadcastTo(np.array([0.3, -0.7]), [4000, 2]);
    const [greedy] = DQN.act(fresh(), many.slice(0), { config, explore: false });
    const shares = [0, 50, 100, 5000].map((step) => {
      const [actions] = DQN.actBatch({ ...fresh(), step: np.int32(step) }, many, { config });
      return actions.equal(greedy).astype("float32").mean().item();
    });
    expect([greedy.dtype, greedy.shape]).toEqual(["int32", []]);
    // A random action is the best one in a third of the cases; epsilon goes from 1 to 0.2 in 100 updates.
    [1, 0.6, 0.2, 0.2].forEach((epsilon, at) => {
      expect(Math.abs(shares[at] - (1 - (epsilon * 2) / 3))).toBeLessThan(0.03);
    });
  });

  it("moves the random key on", () => {
    const state = fresh();
    const [, next] = DQN.act(state, np.zeros([2]), { config });
    expect(next.rng.toArray()).not.toEqual(state.rng.toArray());
    expect(next.step.item()).toBe(0);
  });
});

describe("DQN.update", () => {
  it("copies the network to its target every so many updates", () => {
    let state = fresh();
    expect(parameters(state.targetParams)).toEqual(parameters(state.params));
    const isCopy: boolean[] = [];
    const epsilons: number[] = [];
    for (let i = 0; i < 7; i++) {
      const [next, metrics] = DQN.update(state, batch, { config });
      expect(parameters(next.params)).not.toEqual(parameters(state.params));
      isCopy.push(parameters(next.targetParams).join() === parameters(next.params).join());
      epsilons.push(metrics.epsilon.item());
      state = next;
    }
    expect(isCopy).toEqual([false, false, true, false, false, true, false]);
    expect(state.step.item()).toBe(7);
    epsilons.forEach((epsilon, at) => {
      expect(epsilon).toBeCloseTo(1 - 0.008 * (at + 1), 5);
    });
  });

  it("goes on copying, and exploring little, beyond 2^31 updates", () => {
    // 2^31 − 1 leaves 1 when divided by 3.
    let state: DQNState = { ...fresh(), step: np.int32(2 ** 31 - 3) };
    const isCopy: boolean[] = [];
    for (let i = 0; i < 7; i++) {
      const [next, { epsilon }] = DQN.update(state, batch, { config });
      isCopy.push(parameters(next.targetParams).join() === parameters(next.params).join());
      expect(epsilon.item()).toBeCloseTo(0.2, 5);
      expect(next.step.item()).toBeGreaterThan(2 ** 31 - 10);
      state = next;
    }
    expect(isCopy).toEqual([true, false, false, true, false, false, true]);
  });

  it("moves the target network by tau of the way, every so many updates", () => {
    const soft = DQNConfig({ ...config, targetUpdateFreq: 2, tau: 0.25 });
    let state = fresh();
    for (let i = 1; i <= 4; i++) {
      const before = parameters(state.targetParams);
      [state] = DQN.update(state, batch, { config: soft });
      const [online, target] = [parameters(state.params), parameters(state.targetParams)];
      const wanted = before.map((old, at) => (i % 2 === 0 ? 0.25 * online[at] + 0.75 * old : old));
      target.forEach((value, at) => expect(value).toBeCloseTo(wanted[at], 6));
    }
    const [next] = DQN.update(state, batch, { config: DQNConfig({ ...soft, targetUpdateFreq: 1 }) });
    const [online, old] = [parameters(next.params), parameters(state.targetParams)];
    parameters(next.targetParams).forEach((value, at) =>
      expect(value).toBeCloseTo(0.25 * online[at] + 0.75 * old[at], 6),
    );
  });

  it("lowers the learning rate to nothing, and epsilon in a part of the updates", () => {
    const falling = DQNConfig({
      ...{ ...config, lrSchedule: "linear", scheduleUpdates: 10, explorationFraction: 0.5 },
      ...{ epsilonStart: 1, epsilonEnd: 0.2 },
    });
    const at = (step: number) => DQN.update({ ...fresh(), step: np.int32(step) }, batch, { config: falling });
    const [half] = DQN.update(fresh(), batch, {
      config: DQNConfig({ ...config, lr: Number(config.lr) / 2 }),
    });
    expectClose(at(5)[0].params, half.params, { atol: 1e-6 });
    expect(parameters(at(10)[0].params)).toEqual(parameters(fresh().params));
    // The update counts already: 1, 3, 5 and 8 of the ten are made, of which five count.
    for (const [step, epsilon] of [
      [0, 1 - 0.8 / 5],
      [2, 1 - (0.8 * 3) / 5],
      [4, 0.2],
      [7, 0.2],
    ]) {
      expect(at(step)[1].epsilon.item()).toBeCloseTo(epsilon, 5);
    }
    const unknown = DQNConfig({ ...config, explorationFraction: 0.5 });
    expect(() => DQN.act(fresh(), np.zeros([2]), { config: unknown })).toThrow(
      /explorationFraction needs to know over how many updates/,
    );
  });

  it("does the same interpreted", () => {
    const interpreted = jit(DQN.update, { staticArgnums: 2, device: "interpreter" });
    expectClose(interpreted(fresh(), batch, { config }), DQN.update(fresh(), batch, { config }), {
      rtol: 1e-4,
      atol: 1e-5,
    });
  });
});

describe("dqnLoss", () => {
  // One layer without hidden ones: Q-values are the biases.
  const constant = (...values: number[]): NetworkParams => [
    { w: np.zeros([2, values.length]), b: np.array(values) },
  ];
  const one = (given: Partial<Transition> = {}): Transition => ({
    ...{ obs: np.zeros([1, 2]), action: np.int32([1]), reward: np.array([1]), nextObs: np.zeros([1, 2]) },
    ...{ done: np.array([false]), ...given },
  });
  const lossOf = (given: Partial<DQNConfig>, transition = one()) => {
    const [online, target] = [constant(5, 2, 0), constant(10, 20, 30)];
    const [loss, qMean] = dqnLoss(online, target, transition, {
      config: DQNConfig({ gamma: 0.5, ...given }),
    });
    return { loss: loss.item(), qMean: qMean.item() };
  };

  it("takes what the target network says the best action is worth", () => {
    expect(lossOf({})).toEqual({ loss: (2 - (1 + 0.5 * 30)) ** 2, qMean: 2 });
  });
  it("takes what the target network says of the online network's choice, if double", () => {
    expect(lossOf({ double: true }).loss).toBe((2 - (1 + 0.5 * 10)) ** 2);
  });
  it("takes nothing from beyond the end", () => {
    expect(lossOf({}, one({ done: np.array([true]) })).loss).toBe(1);
  });
  it("is linear for large errors, if Huber", () => {
    expect(lossOf({ loss: "huber" }).loss).toBe(14 - 0.5);
    const small = one({ done: np.array([true]), reward: np.array([1.5]) });
    expect(lossOf({ loss: "huber" }, small).loss).toBe(0.5 * 0.5 ** 2);
  });
  it("adds a value and advantages without their mean, if dueling", () => {
    // Outputs: value 5, advantages 2 and 0; target: value 10, advantages 20 and 30.
    expect(lossOf({ dueling: true })).toEqual({ loss: (5 - 1 - (1 + 0.5 * 15)) ** 2, qMean: 4 });
  });
});

describe("DQN in a compiled loop", () => {
  it("sees through time limits", () => {
    const learning = DQNConfig({
      ...{ gamma: 0.5, hiddenSizes: [8], lr: 1e-2, batchSize: 16, targetUpdateFreq: 10 },
    });
    const agent = jit(offPolicyLoop(endless(), dqnAgent(learning), 300))(key, null);
    const { loss, qMean } = DQN.update(
      agent,
      {
        ...{ obs: np.ones([8, 1]), action: np.int32([0, 1, 0, 1, 0, 1, 0, 1]), reward: np.ones([8]) },
        ...{ nextObs: np.ones([8, 1]), done: np.zeros([8]) },
      },
      { config: learning },
    )[1];
    expect(Math.abs(qMean.item() - 2)).toBeLessThan(0.1);
    expect(loss.item()).toBeLessThan(0.01);
  });

  it("learns from images that are kept as bytes", () => {
    const probe = probes.find(({ params }) => params.fitsSign.item() === 1) ?? probes[0];
    const learning = DQNConfig({
      ...{ hiddenSizes: [16], batchSize: 32, targetUpdateFreq: 10, epsilonDecaySteps: 50 },
    });
    const agent = jit(offPolicyLoop(imageProbe("discrete"), dqnAgent(learning), 100))(key, probe.params);
    const images = np.stack([-1, 1].map((sign) => paintSign(np.float32(sign))));
    expect(images.dtype).toBe("uint8");
    const [actions] = DQN.actBatch(agent, images, { config: learning, explore: false });
    expect(actions.toArray()).toEqual([0, 1]);
  });

  it("is the same compiled as a loop and called step by step", () => {
    const buffer = ReplayBuffer.pushBatch(
      ReplayBuffer.init(
        16,
        tree.map((x) => x.slice(0), batch),
      ),
      batch,
    );
    const step = (state: DQNState) =>
      DQN.update(state, ReplayBuffer.sample(buffer, random.foldIn(key, state.step), 8), { config })[0];
    let state = fresh();
    for (let i = 0; i < 3; i++) state = step(state);
    const loop = jit((start: DQNState) => step(step(step(start))));
    expectClose(loop(fresh()), state, { rtol: 1e-4, atol: 1e-6 });
  });
});
