// Random streams equal those of JAX.
import { describe, expect, it } from "vitest";
import { random, type Array } from "vibe-rl/array";
import { expectClose, readGolden, toArray, type GoldenArray } from "../golden.js";

interface RandomCase {
  readonly fn: string;
  readonly seed: number;
  readonly out: GoldenArray;
  readonly n: number;
  readonly data: number;
  readonly shape: readonly number[];
  readonly minval?: number;
  readonly maxval?: number;
  readonly p: number;
  readonly lower: number;
  readonly upper: number;
  readonly logits: GoldenArray;
}

const draw: Record<string, (key: Array, c: RandomCase) => Array> = {
  key: (key) => key,
  split: (key, c) => random.split(key, c.n),
  foldIn: (key, c) => random.foldIn(key, c.data),
  bits: (key, c) => random.bits(key, c.shape),
  uniform: (key, { shape, minval = 0, maxval = 1 }) => random.uniform(key, shape, { minval, maxval }),
  normal: (key, c) => random.normal(key, c.shape),
  randint: (key, { shape, minval = 0, maxval = 0 }) => random.randint(key, shape, minval, maxval),
  bernoulli: (key, c) => random.bernoulli(key, c.p, c.shape),
  gumbel: (key, c) => random.gumbel(key, c.shape),
  exponential: (key, c) => random.exponential(key, c.shape),
  categorical: (key, c) => random.categorical(key, toArray(c.logits)),
  permutation: (key, c) => random.permutation(key, c.n),
  truncatedNormal: (key, c) => random.truncatedNormal(key, c.lower, c.upper, c.shape),
};

/** Go through functions whose last digit depends on the implementation of log and erfInv. */
const approximate = ["normal", "gumbel", "exponential", "truncatedNormal"];

describe("random streams are JAX's", () => {
  for (const c of readGolden<RandomCase>("random.json")) {
    const { fn, seed, out, ...rest } = c;
    it(`${fn} seed ${seed} ${JSON.stringify({ ...rest, logits: undefined })}`, () => {
      const actual = draw[fn](random.key(seed), c);
      if (approximate.includes(fn)) {
        expectClose(actual, toArray(out), { rtol: 2e-6 });
      } else {
        expect([actual.dtype, actual.shape]).toEqual([out.dtype, out.shape]);
        expect(actual.data()).toEqual(toArray(out).data());
      }
    });
  }
});
