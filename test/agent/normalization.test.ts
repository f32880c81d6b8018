// Running statistics: those of all that came, however it was divided.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { includeRewards, initRewardStats, normalizeObs, normalizeReward, RunningStats } from "vibe-rl/agent";
import { np, random, type Array } from "vibe-rl/array";
import { expectClose } from "../closeness.js";

const draw = (seed: number, count: number, offset = 0): Array =>
  random
    .normal(random.key(seed), [count, 3])
    .mul(np.array([1, 20, 0.01]))
    .add(offset);

/** The rows one piece after the other, pieces of the given lengths. */
function inPieces(rows: Array, lengths: readonly number[]): RunningStats {
  let from = 0;
  let stats = RunningStats.init([3]);
  for (const length of lengths) {
    stats = RunningStats.include(stats, rows.slice({ start: from, stop: from + length }));
    from += length;
  }
  return stats;
}

describe("running statistics", () => {
  it("are those of all values, however they are divided", () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(lengths, fc.nat(1000), (pieces, seed) => {
        const rows = draw(
          seed,
          pieces.reduce((sum, length) => sum + length, 0),
        );
        const { count, mean, variance } = inPieces(rows, pieces);
        expect(count.item()).toBe(rows.shape[0]);
        expectClose(mean, rows.mean(0), { rtol: 1e-4, atol: 1e-5 });
        expectClose(variance, rows.var(0), { rtol: 1e-4, atol: 1e-7 });
      }),
      { numRuns: 30 },
    );
  });

  it("take in any leading axes", () => {
    const rows = draw(1, 24);
    const whole = RunningStats.include(RunningStats.init([3]), rows.reshape([4, 6, 3]));
    expectClose(whole, RunningStats.include(RunningStats.init([3]), rows), {});
  });

  it("are steady where values are large and vary little", () => {
    const rows = draw(2, 200, 1000);
    const { variance } = inPieces(rows, globalThis.Array<number>(200).fill(1));
    expectClose(variance.slice(":2"), rows.var(0).slice(":2"), { rtol: 1e-3 });
  });

  it("do not turn around after very many values", () => {
    const many = { count: np.float32(3e9), mean: np.zeros([3]), variance: np.ones([3]) };
    const { count, mean, variance } = RunningStats.include(many, draw(3, 8));
    expect(count.item()).toBeGreaterThanOrEqual(3e9);
    expectClose(mean, np.zeros([3]), { atol: 1e-6 });
    expectClose(variance, np.ones([3]), { rtol: 1e-6 });
  });
});

describe("normalised observations", () => {
  const config = { normalizeObs: true, clipObs: 2 };
  const obsStats = { count: np.float32(9), mean: np.array([1, 2]), variance: np.array([4, 0.25]) };

  it("are in standard deviations from the mean, within bounds", () => {
    const seen = normalizeObs(
      { obsStats },
      np.array([
        [3, 2.5],
        [2, 100],
      ]),
      config,
    );
    expectClose(
      seen,
      np.array([
        [1, 1],
        [0.5, 2],
      ]),
      {},
    );
  });
  it("are what they were before anything was seen, and where they are not normalised", () => {
    const obs = np.array([0.5, -1.5]);
    expectClose(normalizeObs({ obsStats: RunningStats.init([2]) }, obs, config), obs, {});
    expect(normalizeObs({}, obs, config)).toBe(obs);
  });
  it("are not images", () => {
    const image = np.zeros([2], { dtype: "uint8" });
    expect(() => normalizeObs({ obsStats }, image, config)).toThrow("set normalizeObs to false");
  });
});

describe("normalised rewards", () => {
  const config = { normalizeReward: true, clipReward: 10, gamma: 0.9 };

  it("are divided by the deviation of discounted returns, which begin anew with each episode", () => {
    const rewards = [
      [1, 2],
      [3, -1],
      [0, 4],
      [2, 2],
    ];
    const ended = [
      [false, false],
      [true, false],
      [false, true],
      [false, false],
    ];
    const returns: number[] = [];
    const running = [0, 0];
    rewards.forEach((row, step) =>
      row.forEach((reward, at) => {
        running[at] = running[at] * 0.9 + reward;
        returns.push(running[at]);
        if (ended[step][at]) running[at] = 0;
      }),
    );
    // In two pieces, as two rollouts would bring them.
    const piece = (list: unknown[][], from: number, to: number) =>
      np.array(list.slice(from, to) as number[][]);
    let state = initRewardStats(2, config);
    state = includeRewards(state, piece(rewards, 0, 3), piece(ended, 0, 3), config);
    state = includeRewards(state, piece(rewards, 3, 4), piece(ended, 3, 4), config);
    expectClose(state.rewardStats?.returns, np.array(running), {});
    const deviation = np.array(returns).std();
    expectClose(
      normalizeReward(state, np.array([1, -500]), config),
      np.stack([np.divide(1, deviation), np.float32(-10)]),
      { rtol: 1e-5 },
    );
  });
});
