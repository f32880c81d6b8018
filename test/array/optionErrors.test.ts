// Options and arguments that make no sense are refused, with what was given and what to do.
import { describe, expect, it } from "vitest";
import { ArrayError, jit, lax, nn, np, random, type Array } from "vibe-rl/array";

const x = np.arange(6).reshape([2, 3]).astype("float32");
const key = random.key(0);
const untyped = (value: unknown) => value as never;

const mistakes: Record<string, readonly [() => unknown, RegExp]> = {
  "a sum in bool": [() => np.sum(x, 0, { dtype: "bool" }), /sum: cannot compute in bool/],
  "a variance in integers": [
    () => np.var(x, 0, { dtype: "int32" }),
    /var: the dtype must be float32 or float64/,
  ],
  "a running sum in an unknown dtype": [
    () => np.cumsum(x, 0, { dtype: untyped("int16") }),
    /cumsum: unknown dtype "int16"/,
  ],
  "windows for too few axes": [
    () => lax.reduceWindow(x, 0, np.add, [2]),
    /lax\.reduceWindow: windowDimensions must be a list of 2 whole numbers, got \[2\]/,
  ],
  "an initial vector": [
    () => lax.reduceWindow(x, x, np.add, [1, 2]),
    /initial must be a scalar, got float32\[2,3\]/,
  ],
  "no function to combine windows": [
    () => lax.reduceWindow(x, 0, untyped("max"), [1, 2]),
    /computation must be a function, got "max"/,
  ],
  "a kernel of another rank": [
    () => lax.convGeneralDilated(np.ones([1, 4, 4, 1]), np.ones([2, 1, 1]), [1, 1], "VALID"),
    /images and kernel must have as many dimensions, .* got float32\[1,4,4,1\] and float32\[2,1,1\]/,
  ],
  "axes without a name": [
    () =>
      lax.convGeneralDilated(np.ones([1, 4, 1]), np.ones([2, 1, 1]), [1], "VALID", {
        dimensionNumbers: ["NXC", "WIO", "NWC"],
      }),
    /dimensionNumbers name the axes of the input "NXC"; it must have 3 letters, each of NWC once/,
  ],
  "strides for too many axes": [
    () => lax.convTranspose(np.ones([1, 4, 1]), np.ones([2, 1, 1]), [1, 1], "SAME"),
    /lax\.convTranspose: strides must be a list of 1 whole numbers, got \[1,1\]/,
  ],
  "heads that do not divide": [
    () => nn.dotProductAttention(np.ones([2, 3, 4]), np.ones([2, 2, 4]), np.ones([2, 2, 4])),
    /nn\.dotProductAttention: query, key and value .* got float32\[2,3,4\], float32\[2,2,4\], float32\[2,2,4\]/,
  ],
  "a mask of numbers": [
    () =>
      nn.dotProductAttention(np.ones([2, 1, 4]), np.ones([2, 1, 4]), np.ones([2, 1, 4]), {
        mask: np.ones([2, 2]),
      }),
    /mask must be a bool array, .*; give numbers to add as bias/,
  ],
  "halving an odd axis": [() => nn.glu(x), /nn\.glu: needs an even extent along axis -1/],
  "more than there is, without replacement": [
    () => random.categorical(key, x, { shape: [4, 2], replace: false }),
    /cannot draw 4 of 3 categories without replacement/,
  ],
  "gamma parameters that do not fit": [
    () => random.gamma(key, np.ones([3]), [2]),
    /random\.gamma: .*float32\[3\]|random\.gamma: shapes/,
  ],
  "a covariance that is not square": [
    () => random.multivariateNormal(key, np.ones([2]), np.ones([2, 3])),
    /mean must be \[\.\.\., n\] and cov \[\.\.\., n, n\]/,
  ],
  "an unknown quantile method": [
    () => np.quantile(x, 0.5, 0, { method: untyped("median") }),
    /method must be "linear" or "lower" or "higher" or "midpoint" or "nearest", got "median"/,
  ],
  "weights of another shape": [
    () => np.average(x, 0, np.ones([3])),
    /np\.average: weights must have the shape/,
  ],
  "an unknown option of meshgrid": [
    () => np.meshgrid(x.slice(0), { index: "ij" } as never),
    /np\.meshgrid: there is no option index; the nearest is indexing/,
  ],
  "fewer choices than conditions": [
    () => np.select([x.greater(0)], []),
    /np\.select: needs a list of at least one condition|as many choices as conditions/,
  ],
  "an unknown mode": [
    () => x.at(0).get({ mode: untyped("wrap") }),
    /at\(\)\.get: mode must be "clip" or "fill"/,
  ],
  "a filler that nothing reads": [
    () => x.at(0).get({ mode: "clip", fillValue: 1 }),
    /at\(\)\.get: fillValue goes with mode "fill", got mode "clip"/,
  ],
  "a position outside, without a mode": [() => x.at(5).set(1), /index 5 is out of range/],
  "a shift by a fraction": [() => np.roll(x, 0.5, 0), /roll: a shift must be a whole number .*, got 0\.5/],
  "shifts for too many axes": [
    () => np.roll(x, [1, 2, 3], [0, 1]),
    /needs one shift or one for each of 2 axes, got 3/,
  ],
  "computed counts without a length": [
    () => jit((counts: Array) => np.repeat(x, counts, 0))(np.int32([1, 2])),
    /repeat: the counts .* are not known while tracing.*give totalRepeatLength/,
  ],
  "one diagonal axis twice": [() => np.diagonal(x, 0, 1, 1), /axis1 and axis2 must differ/],
  "einsum without axes": [() => np.einsum(x, untyped(0)), /einsum: needs a list of axes such as \[0, 1\]/],
  "vectors of four elements": [
    () => np.cross(np.ones([4]), np.ones([4])),
    /np\.cross: vectors must have 2 or 3/,
  ],
};

describe("refused", () => {
  for (const [name, [f, message]] of Object.entries(mistakes)) {
    it(name, () => {
      expect(f).toThrow(ArrayError);
      expect(f).toThrow(message);
    });
  }
});
