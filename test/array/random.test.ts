// Random numbers beyond the golden streams: distributions, arguments, use under transforms.
import { describe, expect, it } from "vitest";
import { jit, np, random, vmap, type Array } from "vibe-rl/array";
import { expectClose } from "../golden.js";

const key = random.key(7);
const many = [20_000];

const moments = (x: Array) => [x.mean().item(), x.std().item()];

describe("distributions have their moments", () => {
  const cases: Record<string, readonly [() => Array, mean: number, std: number]> = {
    uniform: [() => random.uniform(key, many, { minval: -1, maxval: 3 }), 1, 4 / Math.sqrt(12)],
    normal: [() => random.normal(key, many), 0, 1],
    truncatedNormal: [() => random.truncatedNormal(key, -1, 1, many), 0, 0.5396],
    exponential: [() => random.exponential(key, many), 1, 1],
    gumbel: [() => random.gumbel(key, many), 0.5772, Math.PI / Math.sqrt(6)],
    bernoulli: [() => random.bernoulli(key, 0.3, many), 0.3, Math.sqrt(0.21)],
    randint: [() => random.randint(key, many, -2, 5), 1, 2],
    bits: [() => random.bits(key, many, "uint8"), 127.5, 73.9],
    choice: [
      () => random.choice(key, np.array([0, 10]), many, { p: np.array([0.25, 0.75]) }),
      7.5,
      Math.sqrt(18.75),
    ],
  };
  for (const [name, [draw, mean, std]] of Object.entries(cases)) {
    it(name, () => {
      const [m, s] = moments(draw());
      expect(Math.abs(m - mean)).toBeLessThan((4 * std) / Math.sqrt(many[0]));
      expect(s / std).toBeCloseTo(1, 1);
    });
  }

  it("categorical draws by its logits, along any axis and with extra samples", () => {
    const logits = np.log(
      np.array([
        [0.1, 0.9],
        [0.5, 0.5],
      ]),
    );
    const samples = random.categorical(key, logits, { shape: [5000, 2] });
    const [first, second] = samples.mean(0);
    expect([first.item(), second.item()].map((p) => Math.round(p * 10) / 10)).toEqual([0.9, 0.5]);
    expect(random.categorical(key, logits, { axis: 0 }).shape).toEqual([2]);
    expect(() => random.categorical(key, logits, { shape: [3] })).toThrow(
      /do not broadcast|must end in the batch shape/,
    );
  });

  it("truncatedNormal stays strictly inside its bounds", () => {
    const x = random.truncatedNormal(key, 0, 0.001, [1000]);
    expect(x.min().item()).toBeGreaterThan(0);
    expect(x.max().item()).toBeLessThan(Math.fround(0.001));
  });
});

describe("permutations and choices", () => {
  it("hold every element once", () => {
    const order = random.permutation(key, 100);
    expect(np.sort(order).toArray()).toEqual(np.arange(100).toArray());
    const rows = np.arange(12).reshape([4, 3]);
    const shuffled = random.permutation(key, rows);
    expect(np.sort(shuffled, 0).toArray()).toEqual(rows.toArray());
    expect(random.shuffle(key, rows, 1).shape).toEqual([4, 3]);
    expect(random.permutation(key, 0).shape).toEqual([0]);
  });

  it("without replacement draw nothing twice, with probabilities too", () => {
    for (const options of [{}, { p: np.array([0.1, 0.2, 0.3, 0.4]) }]) {
      const drawn = random.choice(key, 4, [4], { replace: false, ...options });
      expect(np.sort(drawn).toArray()).toEqual([0, 1, 2, 3]);
    }
    expect(() => random.choice(key, 3, [4], { replace: false })).toThrow(
      /cannot draw 4 of 3 elements without replacement/,
    );
  });
});

describe("keys", () => {
  it("make the same stream in jit and vmap as outside", () => {
    const draw = (k: Array) => ({ n: random.normal(k, [3]), i: random.randint(k, [3], 0, 10) });
    expect(jit(draw)(key).i.toArray()).toEqual(draw(key).i.toArray());
    expectClose(jit(draw)(key).n, draw(key).n, { rtol: 2e-6 });
    const keys = random.split(key, 2);
    expect(vmap(draw)(keys).i.slice(1).toArray()).toEqual(draw(keys.slice(1)).i.toArray());
  });

  it("come from numbers, traced numbers, and negative ones", () => {
    expect(random.PRNGKey(5).toArray()).toEqual([0, 5]);
    expect(jit((seed: Array) => random.key(seed))(np.int32(5)).toArray()).toEqual([0, 5]);
    expect(random.key(-1).toArray()).toEqual([0, 4294967295]);
    expect(random.key(2 ** 32 + 3).toArray()).toEqual([1, 3]);
    expect(random.foldIn(key, np.int32(3)).toArray()).toEqual(random.foldIn(key, 3).toArray());
    expect(() => random.key(1.5)).toThrow(/random.key: needs a whole number, got 1.5/);
    expect(() => random.foldIn(key, np.float32(1))).toThrow(/data must be an integer scalar, got float32/);
  });

  it("split to any shape", () => {
    expect(random.split(key, [2, 3]).shape).toEqual([2, 3, 2]);
    expect(random.split(key, 6).toArray()).toEqual(random.split(key, [2, 3]).reshape([6, 2]).toArray());
  });
});
