// Distributions: closed forms, moments of samples, integrals of densities, gradients.
import { describe, expect, it } from "vitest";
import { checkGrads, grad, jit, np, random, vmap, type Array } from "vibe-rl/array";
import { Categorical, DiagonalNormal, Normal, TanhNormal } from "vibe-rl/nn";
import { expectClose } from "../closeness.js";

const key = random.key(11);
const double = (data: Parameters<typeof np.array>[0]) => np.array(data, { dtype: "float64" });

/** Draws for many keys, compiled: [draws, ...]. */
const draw = (sample: (key: Array) => Array, draws = 20_000): Array =>
  jit((keys: Array) => vmap(sample)(keys))(random.split(key, draws));

describe("Categorical", () => {
  const logits = np.array([
    [0, 1, 2],
    [3, 3, -1],
  ]);
  const policy = Categorical(logits);
  const weights = [
    [0, 1, 2],
    [3, 3, -1],
  ].map((row) => row.map(Math.exp));
  const probs = weights.map((row) => row.map((w) => w / row.reduce((a, b) => a + b)));

  it("has the probabilities of softmax", () => {
    expectClose(policy.probs(), np.array(probs), { rtol: 1e-6 });
    expectClose(policy.logProb(np.int32([2, 0])), np.array([Math.log(probs[0][2]), Math.log(probs[1][0])]), {
      rtol: 1e-5,
    });
    const entropy = probs.map((row) => -row.reduce((sum, p) => sum + p * Math.log(p), 0));
    expectClose(policy.entropy(), np.array(entropy), { rtol: 1e-5 });
    expect(policy.mode().toArray()).toEqual([2, 0]);
  });

  it("draws each class as often as it should", () => {
    const actions = draw((k) => policy.sample(k));
    expect([actions.dtype, actions.shape]).toEqual(["int32", [20_000, 2]]);
    const share = actions.slice("...", null).equal(np.arange(3)).astype("float32").mean(0);
    expectClose(share, np.array(probs), { atol: 0.015 });
  });

  it("takes no batch axes, or several actions for one batch", () => {
    const single = Categorical(np.array([0, 1]));
    expect(single.sample(key).shape).toEqual([]);
    expect(single.logProb(np.int32(1)).item()).toBeCloseTo(-Math.log(1 + Math.exp(-1)), 6);
    const many = np.int32([
      [0, 1],
      [1, 2],
      [2, 0],
    ]);
    expectClose(policy.logProb(many), vmap((action: Array) => policy.logProb(action))(many), {});
  });

  it("rules out classes whose logit is −∞, in gradients too", () => {
    const masked = np.array([1, -Infinity, 1]);
    const entropy = (x: Array) => Categorical(x).entropy();
    expect(entropy(masked).item()).toBeCloseTo(Math.log(2), 6);
    expectClose(grad(entropy)(masked), np.zeros([3]), { atol: 1e-6 });
    expectClose(jit(grad(entropy))(masked), np.zeros([3]), { atol: 1e-6 });
    expect(
      draw((k) => Categorical(masked).sample(k), 500)
        .equal(1)
        .any()
        .item<boolean>(),
    ).toBe(false);
  });

  it("has the right gradients", () => {
    const x = random.normal(key, [4, 5]).astype("float64");
    const action = np.int32([0, 4, 2, 2]);
    checkGrads((l: Array) => Categorical(l).logProb(action), [x], 2);
    checkGrads((l: Array) => Categorical(l).entropy(), [x], 2);
  });

  it("refuses what is no action, by name", () => {
    expect(() => policy.logProb(np.array([1, 0]))).toThrow(
      /Categorical.logProb: action must be integers, got float32\[2\]/,
    );
    expect(() => policy.logProb(np.int32([1, 0, 1]))).toThrow(
      /action must fit the shape \[2\], got int32\[3\]/,
    );
    expect(() => Categorical(np.float32(1))).toThrow(/logits must have a last axis of classes/);
  });
});

const logNormal = (x: number, mean: number, std: number): number =>
  -0.5 * ((x - mean) / std) ** 2 - Math.log(std) - 0.5 * Math.log(2 * Math.PI);

describe("Normal", () => {
  const mean = np.array([0.5, -1]);
  const std = np.array([2, 0.3]);

  it("has the closed forms, element by element", () => {
    const x = np.array([1, -0.8]);
    expectClose(Normal(mean, std).logProb(x), np.array([logNormal(1, 0.5, 2), logNormal(-0.8, -1, 0.3)]), {
      rtol: 1e-5,
    });
    expectClose(Normal(mean, 2).logProb(x), np.array([logNormal(1, 0.5, 2), logNormal(-0.8, -1, 2)]), {
      rtol: 1e-5,
    });
    const entropy = [2, 0.3].map((s) => 0.5 * Math.log(2 * Math.PI * Math.E * s * s));
    expectClose(Normal(mean, std).entropy(), np.array(entropy), { rtol: 1e-5 });
    expect(Normal(mean, 1).entropy().shape).toEqual([2]);
    expectClose(Normal(mean, std).mode(), mean, {});
  });

  it("draws with the mean and the deviation", () => {
    const x = draw((k) => Normal(mean, std).sample(k));
    expectClose(x.mean(0), mean, { atol: 0.05 });
    expectClose(x.std(0), std, { rtol: 0.03 });
  });

  it("has the right gradients", () => {
    checkGrads(
      (m: Array, s: Array, x: Array) => Normal(m, s).logProb(x),
      [double([0.5, -1]), double([2, 0.3]), double([1, -0.8])],
    );
  });

  it("refuses what does not fit, by name", () => {
    expect(() => Normal(mean, -1)).toThrow(/Normal: std must be a number greater than 0, got -1/);
    expect(() => Normal(mean, np.ones([3]))).toThrow(/std must broadcast to mean's shape \[2\]/);
  });
});

describe("DiagonalNormal", () => {
  const mean = np.array([
    [0.5, -1],
    [0, 2],
  ]);
  const logStd = np.array([0.2, -0.7]);
  const policy = DiagonalNormal(mean, logStd);
  const elementwise = Normal(mean, np.exp(logStd));

  it("sums the components of Normal over the last axis", () => {
    const x = np.array([
      [1, -0.8],
      [-1, 2.5],
    ]);
    expectClose(policy.logProb(x), elementwise.logProb(x).sum(-1), { rtol: 1e-5 });
    expectClose(policy.entropy(), elementwise.entropy().sum(-1), { rtol: 1e-5 });
    expectClose(policy.sample(key), elementwise.sample(key), { rtol: 1e-6 });
    expectClose(policy.mode(), mean, {});
  });

  it("takes one deviation for all, one for each component, or one for each element", () => {
    const x = np.array([0.3, 0.6]);
    const expected = DiagonalNormal(mean, np.full([2, 2], 0.4));
    for (const shared of [np.float32(0.4), np.array([0.4]), np.array([0.4, 0.4]), np.full([2, 1], 0.4)]) {
      expectClose(DiagonalNormal(mean, shared).logProb(x), expected.logProb(x), { rtol: 1e-6 });
      expectClose(DiagonalNormal(mean, shared).entropy(), expected.entropy(), { rtol: 1e-6 });
    }
  });

  it("has the right gradients", () => {
    const x = double([0.3, 0.6]);
    checkGrads(
      (m: Array, l: Array) => DiagonalNormal(m, l).logProb(x),
      [mean.astype("float64"), double([0.2, -0.7])],
      2,
    );
    checkGrads((l: Array) => DiagonalNormal(mean, l).entropy(), [double([0.2, -0.7])]);
  });

  it("refuses what does not fit, by name", () => {
    expect(() => DiagonalNormal(mean, np.ones([3]))).toThrow(
      /DiagonalNormal: logStd must broadcast to mean's shape \[2,2\], got float32\[3\]/,
    );
    expect(() => policy.logProb(np.ones([2, 3]))).toThrow(/value must fit the shape \[2,2\]/);
  });
});

describe("TanhNormal", () => {
  const [low, high] = [-1, 3];
  const mean = np.array([0.4, -0.2]);
  const logStd = np.array([-0.5, 0.1]);
  const policy = TanhNormal(mean, logStd, { low, high });

  it("stays in its box, and its draws are those of a squashed normal", () => {
    const actions = draw((k) => policy.sample(k), 5000);
    expect(actions.min().item()).toBeGreaterThanOrEqual(low);
    expect(actions.max().item()).toBeLessThanOrEqual(high);
    const u = draw((k) => DiagonalNormal(mean, logStd).sample(k), 5000);
    expectClose(actions, np.tanh(u).mul(2).add(1), { atol: 1e-5 });
    expectClose(policy.mode(), np.tanh(mean).mul(2).add(1), { atol: 1e-6 });
  });

  it("has densities that integrate to 1", () => {
    const count = 4000;
    const width = (high - low) / count;
    const points = np.arange(count).astype("float64").add(0.5).mul(width).add(low);
    for (const [m, l] of [
      [0.4, -0.5],
      [-1, 0.2],
      [0, -2],
    ]) {
      const one = TanhNormal(double([m]), double([l]), { low, high });
      const total =
        np
          .exp(one.logProb(points.reshape([count, 1])))
          .sum()
          .item() * width;
      expect(total).toBeCloseTo(1, 3);
    }
  });

  it("gives a draw the log-probability that logProb gives it", () => {
    const [action, logProb] = policy.sampleAndLogProb(key);
    expectClose(policy.logProb(action), logProb, { atol: 1e-4 });
    expectClose(policy.sample(key), action, {});
    const noise = random.normal(key, [6, 2]);
    const [actions, logProbs] = policy.fromNoise(noise);
    expect([actions.shape, logProbs.shape]).toEqual([[6, 2], [6]]);
    expectClose(policy.logProb(actions), logProbs, { atol: 1e-3 });
  });

  it("takes bounds for each component", () => {
    const bounds = { low: np.array([-1, 0]), high: np.array([3, 10]) };
    const [action, logProb] = TanhNormal(mean, logStd, bounds).fromNoise(np.array([0.3, -1]));
    const parts = [0, 1].map((at) =>
      TanhNormal(mean.slice([at]), logStd.slice([at]), {
        low: bounds.low.slice(at),
        high: bounds.high.slice(at),
      }).fromNoise(np.array([[0.3, -1][at]])),
    );
    expectClose(action, np.concatenate(parts.map(([a]) => a)), { rtol: 1e-6 });
    expectClose(logProb, parts[0][1].add(parts[1][1]), { rtol: 1e-5 });
  });

  it("is finite on the bounds and far out", () => {
    expect(Number.isFinite(policy.logProb(np.array([low, high])).item())).toBe(true);
    const far = TanhNormal(np.array([40, -40]), np.zeros([2]));
    expect(Number.isFinite(far.fromNoise(np.zeros([2]))[1].item())).toBe(true);
    const slope = grad((m: Array) => TanhNormal(m, np.zeros([2])).fromNoise(np.zeros([2]))[1]);
    expectClose(slope(np.array([40, -40])), np.array([2, -2]), { atol: 1e-5 });
  });

  it("has the right gradients", () => {
    const noise = double([0.3, -1.2]);
    const args: [Array, Array] = [double([0.4, -0.2]), double([-0.5, 0.1])];
    const options = { low, high };
    checkGrads((m: Array, l: Array) => [...TanhNormal(m, l, options).fromNoise(noise)], args, 2);
    checkGrads((m: Array, l: Array) => TanhNormal(m, l, options).logProb(double([0.1, 1.9])), args);
  });

  it("refuses an entropy and says what to do, and bounds that make no box", () => {
    expect(() => policy.entropy()).toThrow(/TanhNormal.entropy: .*no entropy in closed form; estimate it/);
    expect(() => TanhNormal(mean, logStd, { low: 1, high: 1 })).toThrow(
      /low must be below high, got 1 and 1/,
    );
    expect(() => TanhNormal(mean, logStd, { high: Infinity })).toThrow(
      /high must be a finite number, got Infinity/,
    );
    expect(() => TanhNormal(mean, logStd, { low: np.ones([3]) })).toThrow(
      /low must broadcast to mean's shape \[2\]/,
    );
    expect(() => TanhNormal(mean, logStd, { min: 0 } as object)).toThrow(/there is no option `min`/);
  });
});
