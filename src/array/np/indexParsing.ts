// Reading an index: from what the user wrote to one checked entry per axis.
import { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { describe, fail } from "../core/errors.js";
import { concrete, constant } from "../core/interpret.js";
import { checkWhole } from "../core/rules.js";
import { range } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType } from "../core/type.js";
import { convert } from "../primitives/convert.js";
import { minimum, where } from "./elementwise.js";

/** A range of positions along an axis, as Python's `start:stop:step`; left out, the whole axis. */
export interface Range {
  readonly start?: number | null;
  readonly stop?: number | null;
  readonly step?: number | null;
}

/**
 * One part of an index: a position (negative from the end), a range (`"1:"`, `"::-1"`, `{ start: 1 }`), `null`
 * for a new axis, `"..."` for all axes that are left, or an array or list of positions.
 */
export type Index =
  | number
  | string
  | null
  | Range
  | Array
  | readonly number[]
  | Int32Array
  | Uint32Array
  | Uint8Array;

export interface RangeEntry {
  readonly kind: "range";
  readonly start: number;
  readonly count: number;
  readonly step: number;
}

/** What becomes of one axis, or a new axis. */
export type Entry =
  | RangeEntry
  | { readonly kind: "position"; readonly at: number }
  | { readonly kind: "array"; readonly positions: Array }
  | { readonly kind: "newaxis" };

/**
 * An index as entries, one for every axis of the array and every new axis. Unless bounds are checked, positions
 * outside the array count as computed ones.
 */
export function parseIndex(
  operation: string,
  x: Array,
  index: readonly Index[],
  checkBounds = true,
): Entry[] {
  const used = index.filter((part) => part !== null && part !== "...").length;
  if (used > x.ndim)
    fail(operation, `${used} indices given for ${showType(x.type)}, which has ${x.ndim} axes`);
  if (index.filter((part) => part === "...").length > 1) fail(operation, `an index can have one "..." only`);
  const complete = index.includes("...") ? index : [...index, "..."];
  let axis = 0;
  return complete.flatMap((part): Entry[] => {
    if (part === null) return [{ kind: "newaxis" }];
    if (part !== "...") return [parsePart(operation, x, part, axis++, checkBounds)];
    const open = range(x.ndim - used, axis);
    axis += open.length;
    return open.map((at) => ({ kind: "range", start: 0, count: x.shape[at], step: 1 }));
  });
}

function parsePart(
  operation: string,
  x: Array,
  part: Exclude<Index, null>,
  axis: number,
  checkBounds: boolean,
): Entry {
  const extent = x.shape[axis];
  const isOutside = (at: number): boolean => Number.isInteger(at) && (at < -extent || at >= extent);
  if (!checkBounds && typeof part === "number" && isOutside(part)) {
    return { kind: "array", positions: fromStart(operation, wholeNumbers(operation, part), extent) };
  }
  if (!checkBounds && typeof part === "object" && isPositionList(part) && [...part].some(isOutside)) {
    return { kind: "array", positions: fromStart(operation, wholeNumbers(operation, [...part]), extent) };
  }
  if (typeof part === "number") return { kind: "position", at: checkPosition(operation, x, part, axis) };
  if (typeof part === "string") return parseRange(operation, parseRangeText(operation, part), extent);
  if (part instanceof Array) return { kind: "array", positions: fromStart(operation, part, extent) };
  if (isPositionList(part)) {
    const list = [...part].map((at) => checkPosition(operation, x, at, axis));
    return { kind: "array", positions: wholeNumbers(operation, list) };
  }
  if (typeof part === "object" && Object.keys(part).every((key) => /^(start|stop|step)$/.test(key))) {
    return parseRange(operation, part, extent);
  }
  fail(
    operation,
    `cannot index with ${describe(part)}; use numbers, "start:stop:step", null, "..." or index arrays`,
  );
}

const isPositionList = (part: object): part is Iterable<number> =>
  globalThis.Array.isArray(part) ||
  part instanceof Int32Array ||
  part instanceof Uint32Array ||
  part instanceof Uint8Array;

/** Positions given as plain numbers, as an int32 array; a single one as a scalar. */
export function wholeNumbers(operation: string, positions: number | readonly number[]): Array {
  const list = typeof positions === "number" ? [positions] : positions;
  for (const position of list) checkWhole(operation, "an index", position);
  const shape = typeof positions === "number" ? [] : [list.length];
  return concrete(arrayType(shape, "int32"), Int32Array.from(list));
}

function checkPosition(operation: string, x: Array, at: number, axis: number): number {
  const extent = x.shape[axis];
  checkWhole(operation, "an index", at);
  if (at < -extent || at >= extent) {
    fail(
      operation,
      `index ${at} is out of range for axis ${axis} of ${showType(x.type)}, which has extent ${extent}`,
    );
  }
  return at < 0 ? at + extent : at;
}

function parseRangeText(operation: string, text: string): Range {
  const parts = /^\s*(-?\d*)\s*:\s*(-?\d*)\s*(?::\s*(-?\d*)\s*)?$/.exec(text);
  if (parts === null) {
    fail(
      operation,
      `cannot read ${JSON.stringify(text)} as a range; write it as in Python: "1:", ":-1", "::2"`,
    );
  }
  const number = (digits: string | undefined) =>
    digits === undefined || digits === "" ? null : Number(digits);
  return { start: number(parts[1]), stop: number(parts[2]), step: number(parts[3]) };
}

/** Python's rule for where a range starts and how many positions it names; what sticks out is cut off. */
function parseRange(
  operation: string,
  { start = null, stop = null, step = null }: Range,
  extent: number,
): RangeEntry {
  const by = step ?? 1;
  for (const value of [start, stop, step]) {
    if (value !== null && !Number.isInteger(value)) {
      fail(
        operation,
        `start, stop and step must be whole numbers known while tracing, got ${String(value)}; ` +
          `for a computed start use lax.dynamicSlice`,
      );
    }
  }
  if (by === 0) fail(operation, "the step of a range must not be 0");
  const bound = (value: number | null, otherwise: number): number => {
    if (value === null) return otherwise;
    const fromFront = value < 0 ? value + extent : value;
    return by > 0 ? Math.min(Math.max(fromFront, 0), extent) : Math.min(Math.max(fromFront, -1), extent - 1);
  };
  const first = bound(start, by > 0 ? 0 : extent - 1);
  const last = bound(stop, by > 0 ? extent : -1);
  return { kind: "range", start: first, count: Math.max(0, Math.ceil((last - first) / by)), step: by };
}

/** Positions as int32. */
export function asPositions(operation: string, positions: Array): Array {
  if (positions.dtype === "int32") return positions;
  if (positions.dtype === "bool") {
    fail(
      operation,
      `a bool mask of ${showType(positions.type)} selects a number of elements that is not known while tracing; ` +
        `use np.where(mask, x, y)`,
    );
  }
  if (isFloat(positions.dtype)) {
    fail(
      operation,
      `indices must be integers, got ${showType(positions.type)}; convert with .astype("int32")`,
    );
  }
  // A uint32 beyond the range of int32 is beyond the end of any array.
  const inRange = positions.dtype === "uint32" ? minimum(positions, 0x7fffffff) : positions;
  return bindOne(convert, [inRange], { dtype: "int32" });
}

/** Positions as int32 counted from the start; negative ones count from the end. */
export function fromStart(operation: string, positions: Array, extent: number): Array {
  const whole = asPositions(operation, positions);
  const neverNegative =
    positions.dtype !== "int32" || (whole.elements?.every((at: number) => at >= 0) ?? false);
  return neverNegative ? whole : where(whole.less(0), whole.add(constant(extent, "int32")), whole);
}
