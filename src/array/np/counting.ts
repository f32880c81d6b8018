// What has as many elements as the values say: positions of elements that are not zero, distinct elements, counts.
// Traced, the number must be given as `size`: what is beyond is cut off, what is missing filled in.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray, asBool } from "../core/coerce.js";
import { isFloat } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { checkWhole } from "../core/rules.js";
import { showType } from "../core/type.js";
import { arange, full, ones, zeros } from "./creation.js";
import { cumsum } from "./cumulative.js";
import { clip, isnan, where } from "./elementwise.js";
import { concatenate, stack } from "./joining.js";
import { sum } from "./reductions.js";
import { argsort } from "./sorting.js";

export interface SizeOptions {
  /** How many positions to return; needed while tracing. As many as there are by default. */
  readonly size?: number;
  /** What stands where there are fewer: one number, or one for each axis. Default 0. */
  readonly fillValue?: number | readonly number[];
}

/** The size that was asked for, or the number there is if it is known. */
function sizeOr(operation: string, size: number | undefined, count: Array): number {
  if (size !== undefined) {
    checkWhole(operation, "size", size, 0);
    return size;
  }
  if (count.elements === null) {
    fail(
      operation,
      "the size of the result is not known while tracing: give { size }, and fillValue for the rest",
    );
  }
  return count.elements[0];
}

/** A vector cut off or filled up with the last of `fill`. */
const resize = (x: Array, size: number, fill: number): Array =>
  x.size >= size ? x.slice(`:${size}`) : concatenate([x, full([size - x.size], fill, { dtype: x.dtype })]);

/** The positions in a flat mask of what is true, and which of the `size` are there. */
function positions(mask: Array, size: number): { readonly at: Array; readonly isThere: Array } {
  // Sorting is stable: what is true comes first, in its order.
  const at = resize(argsort(mask.not().astype("int32")), size, 0);
  return { at, isThere: arange(size).less(sum(mask.astype("int32"))) };
}

/** The indices of the elements that are not zero, one vector for each axis. */
export const nonzero = checked(
  "np.nonzero",
  2,
  ["size", "fillValue"],
  (given: ArrayLike, options: SizeOptions = {}): Array[] => nonzeroAs("np.nonzero", given, options),
);

function nonzeroAs(operation: string, given: ArrayLike, { size, fillValue = 0 }: SizeOptions): Array[] {
  const x = asArray(operation, given);
  const { shape } = x;
  if (shape.length === 0)
    fail(operation, "a scalar has no axes to give indices for; wrap it with reshape(1)");
  const fills = typeof fillValue === "number" ? shape.map(() => fillValue) : fillValue;
  if (fills.length !== shape.length) {
    fail(
      operation,
      `fillValue must be one number or one for each of ${shape.length} axes, got ${fills.length}`,
    );
  }
  const mask = asBool(operation, x).reshape(-1);
  const count = sizeOr(operation, size, sum(mask.astype("int32")));
  const { at, isThere } = positions(mask, count);
  return shape.map((extent, axis) => {
    const below = shape.slice(axis + 1).reduce((product, other) => product * other, 1);
    const index = at.floorDivide(Math.max(1, below)).mod(Math.max(1, extent));
    return where(isThere, index, fills[axis]).astype("int32");
  });
}

/** The indices of the elements that are not zero, one row each. */
export const argwhere = checked(
  "np.argwhere",
  2,
  ["size", "fillValue"],
  (given: ArrayLike, options: SizeOptions = {}): Array => stack(nonzeroAs("np.argwhere", given, options), 1),
);

/** The positions of the elements that are not zero in the flattened array. */
export const flatnonzero = checked(
  "np.flatnonzero",
  2,
  ["size", "fillValue"],
  (given: ArrayLike, options: SizeOptions = {}): Array =>
    nonzeroAs("np.flatnonzero", asArray("np.flatnonzero", given).reshape(-1), options)[0],
);

export interface UniqueOptions {
  /** How many elements to return; needed while tracing. As many as there are by default. */
  readonly size?: number;
  /** What stands where there are fewer. The smallest element by default. */
  readonly fillValue?: number;
  /** Whether to return where each first is in the flattened array, too. Default false. */
  readonly returnIndex?: boolean;
  /** Whether to return which of them each element of the array is, too. Default false. */
  readonly returnInverse?: boolean;
  /** Whether to return how often each is there, too. Default false. */
  readonly returnCounts?: boolean;
}

interface Unique {
  (
    x: ArrayLike,
    options: UniqueOptions &
      ({ readonly returnIndex: true } | { readonly returnInverse: true } | { readonly returnCounts: true }),
  ): Array[];
  (x: ArrayLike, options?: UniqueOptions): Array;
}

/** The distinct elements in rising order; with options also where, which and how often they are, in that order. */
export const unique: Unique = checked(
  "np.unique",
  2,
  ["size", "fillValue", "returnIndex", "returnInverse", "returnCounts"],
  (
    given: ArrayLike,
    { size, fillValue, returnIndex, returnInverse, returnCounts }: UniqueOptions = {},
  ): never => {
    const x = asArray("np.unique", given);
    const flat = x.reshape(-1);
    const order = argsort(flat);
    const sorted = flat.slice(order);
    const isNew = isFirst(sorted);
    const count = sizeOr("np.unique", size, sum(isNew.astype("int32")));
    const { at, isThere } = positions(isNew, count);
    const first = where(isThere, at, 0);
    // Which of the distinct elements each of the sorted ones is.
    const number = cumsum(isNew.astype("int32")).sub(1);
    const values =
      flat.size === 0
        ? full([count], fillValue ?? 0, { dtype: x.dtype })
        : where(isThere, sorted.slice(first), fillValue ?? sorted.slice(0)).astype(x.dtype);
    const results = [values];
    if (returnIndex === true) results.push(flat.size === 0 ? first : order.slice(first));
    if (returnInverse === true) {
      results.push(zeros([flat.size], { dtype: "int32" }).at(order).set(number).reshape(x.shape));
    }
    if (returnCounts === true) {
      results.push(
        zeros([count], { dtype: "int32" })
          .at(number)
          .add(ones([flat.size], { dtype: "int32" })),
      );
    }
    return (results.length === 1 ? values : results) as never;
  },
);

/** Which elements of a sorted vector differ from the one before; all NaN count as one. */
function isFirst(sorted: Array): Array {
  if (sorted.size === 0) return zeros([0], { dtype: "bool" });
  const [before, after] = [sorted.slice(":-1"), sorted.slice("1:")];
  const differs = before.notEqual(after);
  const isNew = isFloat(sorted.dtype) ? differs.and(isnan(before).and(isnan(after)).not()) : differs;
  return concatenate([ones([1], { dtype: "bool" }), isNew]);
}

/** The largest of some whole numbers, -1 at least. */
export function largestOf(elements: Iterable<number>): number {
  let largest = -1;
  for (const element of elements) largest = Math.max(largest, element);
  return largest;
}

export interface BincountOptions {
  /** What each element counts for. 1 by default, which gives integers. */
  readonly weights?: ArrayLike;
  /** The least number of counts. Default 0. */
  readonly minlength?: number;
  /** How many counts to return; needed while tracing. As many as the largest element needs by default. */
  readonly length?: number;
}

/** How often each of 0, 1, 2, … is in a vector of integers; what is below counts as 0, what is beyond not at all. */
export const bincount = checked(
  "np.bincount",
  2,
  ["weights", "minlength", "length"],
  (given: ArrayLike, { weights, minlength = 0, length }: BincountOptions = {}): Array => {
    const operation = "np.bincount";
    const x = asArray(operation, given);
    if (isFloat(x.dtype) || x.ndim !== 1)
      fail(operation, `needs a vector of integers, got ${showType(x.type)}`);
    checkWhole(operation, "minlength", minlength, 0);
    if (length !== undefined) checkWhole(operation, "length", length, 0);
    else if (x.elements === null) {
      fail(operation, "the largest element is not known while tracing: give { length }");
    }
    const counts = length ?? Math.max(minlength, largestOf(x.elements ?? []) + 1);
    const amounts = weights === undefined ? ones([x.size], { dtype: "int32" }) : asArray(operation, weights);
    if (amounts.ndim !== 1 || amounts.size !== x.size) {
      fail(
        operation,
        `weights must have the shape of x, got ${showType(amounts.type)} for ${showType(x.type)}`,
      );
    }
    return zeros([counts], { dtype: amounts.dtype })
      .at(clip(x.astype("int32"), 0, null))
      .add(amounts);
  },
);
