// Prioritised replay: what is drawn how often, how much it counts, and sums that stay exact.
import { describe, expect, it } from "vitest";
import { PrioritizedReplayBuffer } from "vibe-rl/agent";
import { DQN, DQNConfig, dqnLoss } from "vibe-rl/algorithms/dqn";
import { jit, np, random, type Array } from "vibe-rl/array";

const alpha = 0.5;

type Ring = PrioritizedReplayBuffer<Array>;

const pushed = (capacity: number, count: number): Ring => {
  const empty = PrioritizedReplayBuffer.init<Array>(capacity, np.float32(0));
  return PrioritizedReplayBuffer.pushBatch(empty, np.arange(count).astype("float32"));
};

const setErrors = jit((ring: Ring, places: Array, errors: Array) =>
  PrioritizedReplayBuffer.setErrors(ring, places, errors, { alpha }),
);

const draw = jit((ring: Ring, key: Array) => PrioritizedReplayBuffer.draw(ring, key, 64, { beta: 0.75 }), {});

describe("PrioritizedReplayBuffer", () => {
  it("draws in proportion to priorities, errors to the power of alpha", () => {
    const errors = [1, 4, 9, 0.25, 16];
    const ring = setErrors(pushed(6, 5), np.arange(5), np.array(errors));
    const counts = [0, 0, 0, 0, 0, 0];
    const rounds = 200;
    for (let round = 0; round < rounds; round++) {
      for (const place of draw(ring, random.key(round)).places.data()) counts[place]++;
    }
    const roots = errors.map(Math.sqrt);
    const total = roots.reduce((sum, root) => sum + root, 0);
    // Draws are one from each equal part, so that counts hardly differ from what they should be.
    roots.forEach((root, place) => {
      expect(Math.abs(counts[place] / (rounds * 64) - root / total)).toBeLessThan(0.005);
    });
    expect(counts[5]).toBe(0);
  });

  it("weighs what it draws so that rare ones count more", () => {
    const errors = [1, 4, 9, 0.25, 16];
    const ring = setErrors(pushed(8, 5), np.arange(5), np.array(errors));
    const { places, weight } = draw(ring, random.key(1));
    const roots = errors.map(Math.sqrt);
    const total = roots.reduce((sum, root) => sum + root, 0);
    const raw = [...places.data()].map((place) => (5 * (roots[place] / total)) ** -0.75);
    const most = Math.max(...raw);
    [...weight.data()].forEach((one, at) => expect(one).toBeCloseTo(raw[at] / most, 4));
    expect(weight.max().item()).toBe(1);
  });

  it("gives new transitions the largest priority, and those that they replace none", () => {
    const first = setErrors(pushed(4, 4), np.int32([0, 1, 2, 3]), np.array([1, 4, 9, 1]));
    const later = PrioritizedReplayBuffer.pushBatch(first, np.array([7, 8]));
    const { sums } = later.priorities;
    const leaves = [...sums.data()].slice(4);
    [3, 3, 3, 1].forEach((priority, at) => expect(leaves[at]).toBeCloseTo(priority, 5));
    expect(later.data.toArray()).toEqual([7, 8, 2, 3]);
  });

  it("keeps every sum that of its children, after any number of changes", () => {
    let ring = pushed(50, 50);
    const change = jit((now: Ring, key: Array) => {
      const [placesKey, errorsKey] = random.split(key);
      const places = random.randint(placesKey, [16], 0, 50);
      // A place that comes twice has the same error twice.
      const errors = np.take(random.uniform(errorsKey, [50]), places, 0);
      return PrioritizedReplayBuffer.setErrors(now, places, errors, { alpha });
    });
    for (let round = 0; round < 50; round++) ring = change(ring, random.key(round));
    const sums = ring.priorities.sums.data();
    expect(sums).toHaveLength(128);
    for (let node = 1; node < 64; node++) {
      expect(sums[node]).toBe(Math.fround(sums[2 * node] + sums[2 * node + 1]));
    }
  });

  it("never draws what is not there, even at the very end of the sum", () => {
    // 1 + 2^-24 rounds to 1: the rest at the last leaf is as large as its priority.
    const ring = setErrors(pushed(64, 3), np.int32([0, 1, 2]), np.array([1, 1e-12, 3e-15]));
    for (let round = 0; round < 30; round++) {
      for (const place of draw(ring, random.key(round)).places.data()) expect(place).toBeLessThan(3);
    }
  });

  it("refuses to draw from nothing", () => {
    const empty = PrioritizedReplayBuffer.init<Array>(4, np.float32(0));
    expect(() => PrioritizedReplayBuffer.draw(empty, random.key(0), 2, { beta: 1 })).toThrow(
      /PrioritizedReplayBuffer.draw: the buffer is empty/,
    );
  });
});

describe("DQN with weights", () => {
  const config = DQNConfig({ hiddenSizes: [4] });
  const batch = {
    ...{ obs: random.normal(random.key(1), [6, 2]), action: np.int32([0, 1, 2, 0, 1, 2]) },
    ...{ reward: random.normal(random.key(2), [6]), nextObs: random.normal(random.key(3), [6, 2]) },
    done: np.array([false, true, false, false, true, false]),
  };
  const agent = DQN.init(random.key(0), [2], 3, config);

  it("counts each error with its weight, and tells the errors", () => {
    const weight = np.array([1, 0.5, 0.25, 0, 1, 0.1]);
    const [, { loss }, errors] = DQN.updateWithErrors(agent, { ...batch, weight }, { config });
    const squares = [...errors.data()].map((error) => error * error);
    const sum = squares.reduce((total, square, at) => total + square * weight.data()[at], 0);
    expect(loss.item()).toBeCloseTo(sum / 6, 5);
    const plain = squares.reduce((total, square) => total + square, 0) / 6;
    const [unweighted] = dqnLoss(agent.params, agent.targetParams, batch, { config });
    expect(unweighted.item()).toBeCloseTo(plain, 5);
  });
});
