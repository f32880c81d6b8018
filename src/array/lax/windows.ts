// Windows along several axes of an array, and what is computed over each of them: pooling.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray, toDType } from "../core/coerce.js";
import { limitOf } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { checkFunction } from "../core/rules.js";
import { range, showShape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import { reduceMax, reduceMin, reduceSum } from "../primitives/reduce.js";
import { window } from "../primitives/window.js";
import { onesLike } from "../np/creation.js";
import { add as npAdd, maximum, minimum, where } from "../np/elementwise.js";
import type { Binary } from "../np/operators.js";
import { slice } from "../np/indexing.js";
import { checkNumbers, paddingWidths, surround, type Padding } from "./padding.js";

/** One window along an axis. */
export interface Window {
  readonly axis: number;
  readonly size: number;
  readonly stride: number;
  readonly dilation: number;
}

/** Each axis cut into windows, whose own axis follows it. The axes must ascend. */
export const cutWindows = (x: Array, windows: readonly Window[]): Array =>
  windows.reduce((cut, { axis, ...of }, at) => bindOne(window, [cut], { axis: axis + at, ...of }), x);

export interface ReduceWindowOptions {
  /** Steps between windows along each axis. Default 1. */
  readonly windowStrides?: readonly number[];
  /** Default "VALID". */
  readonly padding?: Padding;
  /** Distance between the operand's elements, between which there is nothing. Default 1. */
  readonly baseDilation?: readonly number[];
  /** Distance between the elements of a window. Default 1. */
  readonly windowDilation?: readonly number[];
}

/**
 * Each window of `windowDimensions` elements, one extent per axis, combined to one: sums with `np.add`, pooling
 * with `np.maximum` or `np.minimum`, or any function of two arrays that is associative. `initial` goes into each
 * window once; padding does not count. Of several equal largest elements the first gets the gradient, as in JAX.
 */
export const reduceWindow = checked(
  "lax.reduceWindow",
  5,
  ["windowStrides", "padding", "baseDilation", "windowDilation"],
  (
    operand: ArrayLike,
    initial: ArrayLike,
    computation: Binary,
    windowDimensions: readonly number[],
    options: ReduceWindowOptions = {},
  ): Array => {
    const operation = "lax.reduceWindow";
    const x = asArray(operation, operand);
    checkFunction(operation, "computation", computation);
    const ones = x.shape.map(() => 1);
    const { windowStrides = ones, padding = "VALID", baseDilation = ones, windowDilation = ones } = options;
    for (const [name, list] of Object.entries({
      windowDimensions,
      windowStrides,
      baseDilation,
      windowDilation,
    })) {
      checkNumbers(operation, name, list, x.ndim, 1);
    }
    const start = startOf(x, initial);
    const reach = windowDimensions.map((size, at) => (size - 1) * windowDilation[at] + 1);
    const dilated = x.shape.map((extent, at) => Math.max(0, (extent - 1) * baseDilation[at] + 1));
    const widths = paddingWidths(operation, padding, dilated, reach, windowStrides);
    const pad = (part: Array, filler: number | Array): Array => surround(part, filler, widths, baseDilation);
    const padded = pad(x, computation === npAdd ? 0 : start);
    const small = range(x.ndim).find((axis) => padded.shape[axis] < reach[axis]);
    if (small !== undefined) {
      fail(
        operation,
        `windows of ${showShape(windowDimensions)} do not fit ${showType(x.type)}: along axis ${small} they reach ` +
          `over ${reach[small]} of ${padded.shape[small]} elements; give smaller windows or padding "SAME"`,
      );
    }
    const windows = range(x.ndim).map((axis) => ({
      axis,
      size: windowDimensions[axis],
      stride: windowStrides[axis],
      dilation: windowDilation[axis],
    }));
    const moving = windows.filter(({ size, stride }) => size > 1 || stride > 1);
    if (isKnown(computation, x)) return combineWindows(padded, moving, computation, start);
    const isThere = padded === x ? null : pad(onesLike(x, { dtype: "bool" }), 0);
    return foldWindows({ value: padded, isThere }, moving, computation, start);
  },
);

function startOf(x: Array, initial: ArrayLike): Array {
  // An integer has no infinity; what is meant is the least or largest there is.
  const isEndless = typeof initial === "number" && Math.abs(initial) === Infinity;
  const value = isEndless ? limitOf(x.dtype, initial < 0 ? -1 : 1) : initial;
  const start = toDType("lax.reduceWindow", value, x.dtype);
  return start.ndim === 0
    ? start
    : fail("lax.reduceWindow", `initial must be a scalar, got ${showType(start.type)}`);
}

/** Whether there is a reduction of its own for a computation. */
const isKnown = (computation: Binary, { dtype }: Array): boolean =>
  computation === maximum || computation === minimum || (computation === npAdd && dtype !== "bool");

function combineWindows(x: Array, windows: readonly Window[], computation: Binary, start: Array): Array {
  const isStart = (value: number): boolean => start.elements?.[0] === value;
  if (computation === npAdd) {
    const axes = windows.map(({ axis }, at) => axis + at + 1);
    const sums = axes.length === 0 ? x : bindOne(reduceSum, [cutWindows(x, windows)], { axes });
    return isStart(0) ? sums : sums.add(start);
  }
  const isMax = computation === maximum;
  // One axis after the other, the last first: then the first of equal elements is the first in row-major order.
  const extremes = [...windows].reverse().reduce(
    (part, of) =>
      bindOne(isMax ? reduceMax : reduceMin, [bindOne(window, [part], of)], {
        axes: [of.axis + 1],
        ties: "first",
      }),
    x,
  );
  return isStart(limitOf(x.dtype, isMax ? -1 : 1)) ? extremes : computation(start, extremes);
}

/** Elements, some of which may be padding. */
interface Padded {
  readonly value: Array;
  /** Null where all of them are there. */
  readonly isThere: Array | null;
}

/** Windows combined by any function, element by element, leaving out padding. */
function foldWindows(x: Padded, windows: readonly Window[], computation: Binary, start: Array): Array {
  const folded = [...windows].reverse().reduce<Padded>((part, of) => {
    const cut = (array: Array): Array => bindOne(window, [array], of);
    const lead = range(of.axis + 1).map(() => ":");
    const at = (index: number): Padded => ({
      value: slice(cut(part.value), ...lead, index),
      isThere: part.isThere && slice(cut(part.isThere), ...lead, index),
    });
    return range(of.size - 1, 1).reduce((total, index) => join(total, at(index), computation), at(0));
  }, x);
  return join({ value: start, isThere: null }, folded, computation).value;
}

function join(a: Padded, b: Padded, computation: Binary): Padded {
  const both = computation(a.value, b.value);
  const value = b.isThere === null ? both : where(b.isThere, both, a.value);
  if (a.isThere === null) return { value, isThere: null };
  return {
    value: where(a.isThere, value, b.value),
    isThere: b.isThere && a.isThere.or(b.isThere),
  };
}
