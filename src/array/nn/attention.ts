// Scaled dot-product attention, as jax.nn.dot_product_attention computes it.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray, promoteToFloat } from "../core/coerce.js";
import { describe, fail } from "../core/errors.js";
import { checkWhole } from "../core/rules.js";
import { showType } from "../core/type.js";
import { arange } from "../np/creation.js";
import { einsum } from "../np/einsum.js";
import { where } from "../np/elementwise.js";
import { repeat } from "../np/rolling.js";
import { expandDims, reshape } from "../np/shaping.js";
import { softmax } from "./functions.js";

export interface AttentionOptions {
  /** Added to the scaled scores; broadcasts to [batch, heads, queries, keys]. */
  readonly bias?: ArrayLike;
  /** Which keys a query may look at, bool; broadcasts to [batch, heads, queries, keys]. */
  readonly mask?: ArrayLike;
  /** What scores are multiplied with. Default 1 / √(size of a head). */
  readonly scale?: number;
  /** Whether a query looks at no key behind it. Default false. */
  readonly isCausal?: boolean;
  /** How many queries of each example count, int32 [batch]; the results of the others are 0. */
  readonly querySeqLengths?: Array;
  /** How many keys of each example count, int32 [batch]. */
  readonly keyValueSeqLengths?: Array;
  /** How far a query looks to the left and to the right; one number for both. */
  readonly localWindowSize?: number | readonly [left: number, right: number];
}

const operation = "nn.dotProductAttention";

// What scores that do not count become: far below others, but finite, so that a row without any is no NaN.
const masked = -0.7 * 3.4028234663852886e38;

/**
 * softmax(q · kᵀ · scale + bias) · v for query [batch, queries, heads, size], key and value [batch, keys, heads, size],
 * with or without the batch. Fewer heads of keys and values are shared by groups of query heads.
 */
export const dotProductAttention = checked(
  operation,
  4,
  [...["bias", "mask", "scale", "isCausal"], ...["querySeqLengths", "keyValueSeqLengths", "localWindowSize"]],
  (query: ArrayLike, key: ArrayLike, value: ArrayLike, options: AttentionOptions = {}): Array => {
    const given = promoteToFloat(operation, [query, key, value]) as [Array, Array, Array];
    const isBatched = given[0].ndim === 4;
    const [q, k, v] = given.map((x) => (isBatched ? x : expandDims(x, 0))) as [Array, Array, Array];
    checkOperands(given, q, k, v);
    const groups = q.shape[2] / k.shape[2];
    const [keys, values] = [k, v].map((x) => (groups === 1 ? x : repeat(x, groups, 2)));
    const { bias, scale = 1 / Math.sqrt(q.shape[3]), querySeqLengths } = options;
    const products = einsum("btnh,bsnh->bnts", q, keys).mul(scale);
    const biased = bias === undefined ? products : products.add(asArray(operation, bias));
    const mask = wholeMask(q.shape[1], k.shape[1], options);
    const scores = mask === null ? biased : where(mask, biased, masked);
    const result = einsum("bnts,bsnh->btnh", softmax(scores, -1), values);
    const counted =
      querySeqLengths === undefined
        ? result
        : where(expandDims(isWithin(q.shape[1], querySeqLengths), [2, 3]), result, 0);
    return isBatched ? counted : reshape(counted, counted.shape.slice(1));
  },
);

function checkOperands(given: readonly Array[], q: Array, k: Array, v: Array): void {
  const types = given.map((x) => showType(x.type)).join(", ");
  const [batch, , heads, size] = q.shape;
  const fits =
    [q, k, v].every((x) => x.ndim === 4 && x.shape[0] === batch) &&
    k.shape[3] === size &&
    k.shape.slice(0, 3).every((extent, axis) => extent === v.shape[axis]) &&
    heads % k.shape[2] === 0;
  if (!fits) {
    fail(
      operation,
      `query, key and value must be [batch, queries, heads, size], [batch, keys, kvHeads, size] and ` +
        `[batch, keys, kvHeads, valueSize], heads a multiple of kvHeads, all with or without batch; got ${types}`,
    );
  }
}

/** Everything that says which keys count for which queries, as one mask; null if nothing does. */
function wholeMask(queries: number, keys: number, options: AttentionOptions): Array | null {
  const { mask, isCausal = false, querySeqLengths, keyValueSeqLengths, localWindowSize } = options;
  const parts: Array[] = [];
  if (mask !== undefined) {
    const given = asArray(operation, mask);
    if (given.dtype !== "bool") {
      fail(operation, `mask must be a bool array, got ${showType(given.type)}; give numbers to add as bias`);
    }
    parts.push(given);
  }
  const [row, column] = [expandDims(arange(queries), 1), arange(keys)];
  if (isCausal) parts.push(column.lessEqual(row));
  if (localWindowSize !== undefined) {
    const [left, right] = windowOf(localWindowSize);
    parts.push(row.lessEqual(column.add(left)).and(row.greaterEqual(column.sub(right))));
  }
  if (querySeqLengths !== undefined) parts.push(expandDims(isWithin(queries, querySeqLengths), [1, 3]));
  if (keyValueSeqLengths !== undefined) parts.push(expandDims(isWithin(keys, keyValueSeqLengths), [1, 2]));
  return parts.length === 0 ? null : parts.reduce((all, part) => all.and(part));
}

function windowOf(size: number | readonly [number, number]): readonly [number, number] {
  const pair = typeof size === "number" ? ([size, size] as const) : size;
  if (!globalThis.Array.isArray(pair) || pair.length !== 2) {
    fail(operation, `localWindowSize must be a number or [left, right], got ${describe(size)}`);
  }
  for (const reach of pair) checkWhole(operation, "localWindowSize", reach, 0);
  return pair;
}

/** For each example of a batch, which of `count` positions are before its length. */
const isWithin = (count: number, lengths: Array): Array =>
  lengths.ndim === 1
    ? arange(count).less(expandDims(lengths, 1))
    : fail(operation, `sequence lengths must be int32 [batch], got ${showType(lengths.type)}`);
