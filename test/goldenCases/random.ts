// Random streams of JAX.
import { random, type Array } from "vibe-rl/array";
import { expectClose } from "../closeness.js";
import { readGolden, toArray, type GoldenArray } from "../golden.js";
import type { GoldenCase } from "./goldenCase.js";

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

export const randomCases = readGolden<RandomCase>("random.json").map((c): GoldenCase => {
  const { fn, seed, out, ...rest } = c;
  return {
    name: `${fn} seed ${seed} ${JSON.stringify({ ...rest, logits: undefined })}`,
    f: (key) => draw[fn](key, c),
    args: [random.key(seed)],
    check: (actual) => expectClose(actual, toArray(out), { rtol: approximate.includes(fn) ? 2e-6 : 0 }),
  };
});
