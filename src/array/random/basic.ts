// Random numbers, bit for bit those of JAX (threefry2x32, partitionable). A key is a uint32 array [2]; every
// function is pure, so split a key for each use.
import { checked } from "../core/checked.js";
import { Array, type ArrayLike } from "../core/array.js";
import { align, asArray, asOperand } from "../core/coerce.js";
import { isFloat } from "../core/dtype.js";
import { describe, fail } from "../core/errors.js";
import { concrete, constant } from "../core/interpret.js";
import { checkWhole } from "../core/rules.js";
import {
  broadcastShapes,
  checkShape,
  insertAt,
  normalizeAxis,
  sameShape,
  showShape,
  sizeOf,
  without,
  type Shape,
} from "../core/shape.js";
import { bind, bindOne } from "../core/trace.js";
import { arrayType, showType } from "../core/type.js";
import { fma } from "../primitives/arithmetic.js";
import { bitcast } from "../primitives/convert.js";
import { iota } from "../primitives/iota.js";
import { reshape } from "../primitives/reshape.js";
import { sort } from "../primitives/sort.js";
import { threefryWords } from "../primitives/threefry.js";
import { arange, array } from "../np/creation.js";
import { cumsum } from "../np/cumulative.js";
import { maximum, mod, rightShift, where } from "../np/elementwise.js";
import { stack } from "../np/joining.js";
import { moveaxis } from "../np/shaping.js";
import { erf, erfInv, log, log1p } from "../np/realFunctions.js";
import { argmax } from "../np/reductions.js";
import { argsort } from "../np/sorting.js";
import { searchsorted, take } from "../np/taking.js";
import { topK } from "../lax/operators.js";
import { asFloat32, checkParameter, justAboveMinusOne, tiny } from "./parameters.js";

/** The key for a seed: any whole number up to 2^53, or an integer array. */
export const key = checked("random.key", 1, (seed: number | Array): Array => {
  if (!(seed instanceof Array)) {
    const high = Math.floor(wholeNumber("random.key", seed) / 2 ** 32);
    // A negative 32-bit seed is its bit pattern, as in JAX.
    return concrete(arrayType([2], "uint32"), Uint32Array.of(high === -1 ? 0 : high, seed));
  }
  if (isFloat(seed.dtype) || seed.ndim > 0) {
    fail("random.key", `the seed must be an integer scalar, got ${showType(seed.type)}`);
  }
  return stack([array(0, { dtype: "uint32" }), seed.astype("uint32")]);
});
function wholeNumber(operation: string, value: number): number {
  if (!Number.isSafeInteger(value)) fail(operation, `needs a whole number, got ${describe(value)}`);
  return value;
}

/** JAX's older name for `key`. */
export const PRNGKey = key;

/** The two words of a key, checked. */
function words(operation: string, ofKey: Array): [Array, Array] {
  if (!(ofKey instanceof Array) || ofKey.dtype !== "uint32" || ofKey.ndim !== 1 || ofKey.shape[0] !== 2) {
    const given = ofKey instanceof Array ? showType(ofKey.type) : String(ofKey);
    fail(
      operation,
      `needs a key, a uint32 array [2] as random.key(seed) makes it, got ${given}; for several keys use vmap`,
    );
  }
  return [ofKey.slice(0), ofKey.slice(1)];
}

/** Both random words for each position of a shape. */
function randomWords(operation: string, ofKey: Array, shape: Shape): [Array, Array] {
  const [k0, k1] = words(operation, ofKey);
  const size = sizeOf(shape);
  const count = bindOne(iota, [], { shape: [size], axis: 0, dtype: "uint32" });
  const high = array(0, { dtype: "uint32" });
  const [first, second] = threefryWords([k0, k1, high, count]);
  return [bindOne(reshape, [first], { shape }), bindOne(reshape, [second], { shape })];
}

/** `num` new independent keys, as the rows of a uint32 array. */
export const split = checked("random.split", 2, (ofKey: Array, num: number | Shape = 2): Array => {
  return stack(randomWords("random.split", ofKey, checkShape("random.split", num)), -1);
});

/** A key for a number, such as a step: different numbers give independent keys. */
export const foldIn = checked("random.foldIn", 2, (ofKey: Array, data: ArrayLike): Array => {
  const given =
    typeof data === "number"
      ? constant(wholeNumber("random.foldIn", data), "uint32")
      : asArray("random.foldIn", data);
  if (isFloat(given.dtype) || given.ndim > 0) {
    fail(
      "random.foldIn",
      `data must be an integer scalar, got ${showType(given.type)}; convert with .astype("uint32")`,
    );
  }
  const [k0, k1] = words("random.foldIn", ofKey);
  return stack(threefryWords([k0, k1, array(0, { dtype: "uint32" }), given.astype("uint32")]));
});

/** Random bits: uint32 or uint8. */
export const bits = checked(
  "random.bits",
  3,
  (ofKey: Array, shape: Shape = [], dtype: "uint32" | "uint8" = "uint32"): Array => {
    const [first, second] = randomWords("random.bits", ofKey, checkShape("random.bits", shape));
    return first.xor(second).astype(dtype);
  },
);

interface UniformOptions {
  readonly minval?: ArrayLike;
  readonly maxval?: ArrayLike;
}

/** Uniform in [minval, maxval), float32; by default [0, 1). */
export const uniform = checked(
  "random.uniform",
  3,
  ["minval", "maxval"],
  (ofKey: Array, shape: Shape = [], { minval = 0, maxval = 1 }: UniformOptions = {}): Array => {
    for (const bound of [minval, maxval]) checkParameter("random.uniform", bound, shape);
    // 23 random bits as the fraction of a float in [1, 2).
    const random = rightShift(bits(ofKey, shape), 9).or(0x3f800000);
    const unit = bindOne(bitcast, [random], { dtype: "float32" }).sub(1);
    if (minval === 0 && maxval === 1) return unit;
    const low = asFloat32("random.uniform", minval);
    const span = asFloat32("random.uniform", maxval).sub(low);
    return maximum(low, bindOne(fma, align("random.uniform", [unit, span, low]), {}));
  },
);

/** The standard normal distribution. */
export const normal = checked("random.normal", 2, (ofKey: Array, shape: Shape = []): Array => {
  const u = uniform(ofKey, shape, { minval: justAboveMinusOne, maxval: 1 });
  return erfInv(u).mul(Math.SQRT2);
});

/** The standard normal distribution between `lower` and `upper`. */
export const truncatedNormal = checked(
  "random.truncatedNormal",
  4,
  (ofKey: Array, lower: ArrayLike, upper: ArrayLike, shape: Shape | null = null): Array => {
    const low = asFloat32("random.truncatedNormal", lower);
    const high = asFloat32("random.truncatedNormal", upper);
    const extents = shape ?? broadcastShapes("random.truncatedNormal", low.shape, high.shape);
    for (const bound of [low, high]) checkParameter("random.truncatedNormal", bound, extents);
    const [a, b] = [low, high].map((bound) => erf(bound.div(Math.SQRT2))) as [Array, Array];
    const u = uniform(ofKey, extents, { minval: a, maxval: b });
    // Rounding must not put a number on or beyond the bounds.
    return erfInv(u).mul(Math.SQRT2).clip(nextAfter(low, 1), nextAfter(high, -1));
  },
);

/** The neighbouring float32 above (1) or below (-1). */
function nextAfter(x: Array, direction: 1 | -1): Array {
  const pattern = bindOne(bitcast, [x], { dtype: "int32" });
  // Patterns of positive floats ascend, those of negative ones descend.
  const step = where(x.greater(0), direction, -direction).astype("int32");
  const moved = bindOne(bitcast, [pattern.add(step)], { dtype: "float32" });
  return where(x.equal(0), direction * 1.401298464324817e-45, moved);
}

/** Whole numbers from minval up to but not including maxval, int32. */
export const randint = checked(
  "random.randint",
  4,
  (ofKey: Array, shape: Shape, minval: ArrayLike, maxval: ArrayLike): Array => {
    const [low, high] = [minval, maxval].map((bound) => {
      const value = asOperand("random.randint", bound);
      checkParameter("random.randint", value, shape);
      if (isFloat(value.dtype))
        fail("random.randint", `the bounds must be integers, got ${showType(value.type)}`);
      return value.astype("int32");
    }) as [Array, Array];
    // Two words reduced modulo the span, so that the bias towards small numbers is negligible.
    const [first, second] = [...split(ofKey)].map((subkey) => bits(subkey, shape)) as [Array, Array];
    const span = where(high.greater(low), high.sub(low), 1).astype("uint32");
    const half = mod(array(65536, { dtype: "uint32" }), span);
    const multiplier = mod(half.mul(half), span);
    const offset = mod(mod(first, span).mul(multiplier).add(mod(second, span)), span);
    return low.add(offset.astype("int32"));
  },
);

/** True with probability p. */
export const bernoulli = checked(
  "random.bernoulli",
  3,
  (ofKey: Array, p: ArrayLike = 0.5, shape: Shape | null = null): Array => {
    const probability = asFloat32("random.bernoulli", p);
    if (shape !== null) checkParameter("random.bernoulli", probability, shape);
    return uniform(ofKey, shape ?? probability.shape).less(probability);
  },
);

/** The standard Gumbel distribution. */
export const gumbel = checked("random.gumbel", 2, (ofKey: Array, shape: Shape = []): Array => {
  return log(log(uniform(ofKey, shape, { minval: tiny, maxval: 1 })).neg()).neg();
});

/** The exponential distribution with mean 1. */
export const exponential = checked("random.exponential", 2, (ofKey: Array, shape: Shape = []): Array => {
  return log1p(uniform(ofKey, shape).neg()).neg();
});

interface CategoricalOptions {
  readonly axis?: number;
  /** The shape of the result; it must end in the shape of the batch. */
  readonly shape?: Shape;
  /** Whether one index may be drawn twice for the same logits. Default true. */
  readonly replace?: boolean;
}

/** Indices drawn by their unnormalised log-probabilities along an axis. */
export const categorical = checked(
  "random.categorical",
  3,
  ["axis", "shape", "replace"],
  (ofKey: Array, logits: ArrayLike, { axis = -1, shape, replace = true }: CategoricalOptions = {}): Array => {
    const scores = asArray("random.categorical", logits);
    const at = normalizeAxis("random.categorical", axis, scores.ndim);
    const batch = without(scores.shape, [at]);
    const wanted = shape === undefined ? batch : checkShape("random.categorical", shape);
    if (!sameShape(broadcastShapes("random.categorical", wanted, batch), wanted)) {
      fail(
        "random.categorical",
        `shape ${showShape(wanted)} must end in the batch shape ${showShape(batch)} of logits`,
      );
    }
    const lead = wanted.length - batch.length;
    if (!replace) return drawDistinct(ofKey, scores, at, wanted, lead);
    const noise = gumbel(ofKey, insertAt(wanted, lead + at, scores.shape[at]));
    return argmax(noise.add(scores), lead + at);
  },
);

/** As many different indices for each example of a batch as the leading extents of the shape say. */
function drawDistinct(ofKey: Array, scores: Array, axis: number, wanted: Shape, lead: number): Array {
  const count = sizeOf(wanted.slice(0, lead));
  const batch = without(scores.shape, [axis]);
  if (count > scores.shape[axis]) {
    fail(
      "random.categorical",
      `cannot draw ${count} of ${scores.shape[axis]} categories without replacement; set replace: true`,
    );
  }
  if (!sameShape(wanted.slice(lead), batch)) {
    fail("random.categorical", `without replacement, shape must end in exactly ${showShape(batch)}`);
  }
  const [, indices] = topK(moveaxis(gumbel(ofKey, scores.shape).add(scores), axis, -1), count);
  return moveaxis(indices, -1, 0).reshape(wanted);
}

/** 0 … n − 1 in random order, or the slices of an array along an axis in random order. */
export const permutation = checked(
  "random.permutation",
  3,
  (ofKey: Array, x: number | Array, axis = 0): Array => {
    if (typeof x === "number") {
      checkWhole("random.permutation", "the number of elements", x, 0);
      return shuffleVector(ofKey, arange(x));
    }
    const at = normalizeAxis("random.permutation", axis, x.ndim);
    return x.ndim === 1 ? shuffleVector(ofKey, x) : take(x, shuffleVector(ofKey, arange(x.shape[at])), at);
  },
);
/** The slices of an array along an axis in random order. */
export const shuffle = checked("random.shuffle", 3, (ofKey: Array, x: Array, axis = 0): Array =>
  permutation(ofKey, x, axis),
);

/** Sorts by random keys, often enough that ties between keys leave no trace. */
function shuffleVector(ofKey: Array, x: Array): Array {
  const rounds = Math.ceil((3 * Math.log(Math.max(1, x.size))) / Math.log(2 ** 32 - 1));
  let [current, shuffled] = [ofKey, x];
  for (let round = 0; round < rounds; round++) {
    const [next, subkey] = [...split(current)] as [Array, Array];
    const order = bits(subkey, shuffled.shape);
    shuffled = bind(sort, [order, shuffled], { axis: 0, keys: 1 })[1];
    current = next;
  }
  return shuffled;
}

interface ChoiceOptions {
  /** Whether the same element may come more than once. Default true. */
  readonly replace?: boolean;
  /** Probabilities; equal by default. */
  readonly p?: Array | readonly number[];
  readonly axis?: number;
}

/** Elements of an array (or of 0 … n − 1) drawn at random. */
export const choice = checked(
  "random.choice",
  4,
  ["replace", "p", "axis"],
  (
    ofKey: Array,
    x: number | Array,
    shape: Shape = [],
    { replace = true, p: weights, axis = 0 }: ChoiceOptions = {},
  ): Array => {
    const p = weights === undefined ? undefined : array(weights);
    const at = typeof x === "number" ? 0 : normalizeAxis("random.choice", axis, x.ndim);
    const population = typeof x === "number" ? x : x.shape[at];
    const count = sizeOf(checkShape("random.choice", shape));
    if (population < 1 && count > 0) fail("random.choice", "there is nothing to choose from");
    if (!replace && count > population) {
      fail(
        "random.choice",
        `cannot draw ${count} of ${population} elements without replacement; set replace: true`,
      );
    }
    if (p !== undefined && (p.ndim !== 1 || p.shape[0] !== population)) {
      fail("random.choice", `p must have ${population} probabilities, got ${showType(p.type)}`);
    }
    const indices = replace
      ? drawWith(ofKey, population, shape, p)
      : drawWithout(ofKey, population, count, p);
    const positions = indices.reshape(shape);
    return typeof x === "number" ? positions : take(x, positions, at);
  },
);

function drawWith(ofKey: Array, population: number, shape: Shape, p: Array | undefined): Array {
  if (p === undefined) return randint(ofKey, shape, 0, population);
  const cumulative = cumsum(p, 0);
  const total = cumulative.slice(-1);
  return searchsorted(cumulative, total.mul(uniform(ofKey, shape).neg().add(1)));
}

function drawWithout(ofKey: Array, population: number, count: number, p: Array | undefined): Array {
  if (p === undefined) return permutation(ofKey, population).slice(`:${count}`);
  const scores = gumbel(ofKey, [population]).add(log(p));
  return argsort(scores, -1, { descending: true }).slice(`:${count}`);
}
