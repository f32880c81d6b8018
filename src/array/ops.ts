// `ops`: reductions over segments, the rows of an array that belong together by their numbers.
import { checked } from "./core/checked.js";
import type { Array, ArrayLike } from "./core/array.js";
import { asArray } from "./core/coerce.js";
import { isFloat, limitOf, type DType } from "./core/dtype.js";
import { fail } from "./core/errors.js";
import { checkWhole } from "./core/rules.js";
import { showType } from "./core/type.js";
import { largestOf } from "./np/counting.js";
import { full } from "./np/creation.js";
import { where } from "./np/elementwise.js";

export interface SegmentOptions {
  /** How many segments there are; needed while tracing. One more than the largest number by default. */
  readonly numSegments?: number;
}

/** The reduction of each segment of the rows of `data`; numbers outside of 0 to `numSegments` - 1 are left out. */
export type SegmentReduction = (data: ArrayLike, segmentIds: Array, options?: SegmentOptions) => Array;

/** Rows combined with those of `whole` at their places. */
type Combine = (whole: Array, places: Array, rows: Array) => Array;

function segmentReduction(name: string, start: (dtype: DType) => number, combine: Combine): SegmentReduction {
  const operation = `ops.${name}`;
  const run: SegmentReduction = (given, segmentIds, { numSegments } = {}) => {
    const data = asArray(operation, given);
    const ids = asArray(operation, segmentIds);
    if (isFloat(ids.dtype) || ids.dtype === "bool") {
      fail(operation, `the segment ids must be integers, got ${showType(ids.type)}`);
    }
    if (ids.ndim > data.ndim || ids.shape.some((extent, axis) => extent !== data.shape[axis])) {
      fail(
        operation,
        `the segment ids must have the leading extents of the data, got ${showType(ids.type)} for ${showType(data.type)}`,
      );
    }
    const count = numSegments ?? countSegments(operation, ids);
    checkWhole(operation, "numSegments", count, 0);
    const whole = full([count, ...data.shape.slice(ids.ndim)], start(data.dtype), { dtype: data.dtype });
    // What is outside writes nothing; negative numbers would count from the end.
    const places = where(ids.less(0), count, ids).reshape(-1);
    return combine(whole, places, data.reshape([ids.size, ...data.shape.slice(ids.ndim)]));
  };
  return checked(operation, 3, ["numSegments"], run);
}

function countSegments(operation: string, ids: Array): number {
  if (ids.elements === null) {
    fail(
      operation,
      "numSegments is needed while tracing, where the largest segment id is not known: give { numSegments }",
    );
  }
  return Math.max(0, largestOf(ids.elements) + 1);
}

/** The sum of the rows of each segment. */
export const segmentSum = segmentReduction(
  "segmentSum",
  () => 0,
  (whole, places, rows) => whole.at(places).add(rows),
);
/** The product of the rows of each segment. */
export const segmentProd = segmentReduction(
  "segmentProd",
  () => 1,
  (whole, places, rows) => whole.at(places).mul(rows),
);
/** The largest of the rows of each segment, element by element; the least number there is where it has no rows. */
export const segmentMax = segmentReduction(
  "segmentMax",
  (dtype) => limitOf(dtype, -1),
  (whole, places, rows) => whole.at(places).max(rows),
);
/** The smallest of the rows of each segment, element by element; the largest number there is where it has no rows. */
export const segmentMin = segmentReduction(
  "segmentMin",
  (dtype) => limitOf(dtype, 1),
  (whole, places, rows) => whole.at(places).min(rows),
);
