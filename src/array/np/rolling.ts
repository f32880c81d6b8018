// Moving and repeating elements along axes.
import { checked } from "../core/checked.js";
import { Array, type ArrayLike } from "../core/array.js";
import { asArray, broadcastTo } from "../core/coerce.js";
import { isFloat } from "../core/dtype.js";
import { describe, fail } from "../core/errors.js";
import { concrete, constant } from "../core/interpret.js";
import { checkWhole } from "../core/rules.js";
import { insertAt, normalizeAxis, range, replaceAt, without } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType } from "../core/type.js";
import { broadcast } from "../primitives/broadcast.js";
import { dynamicSlice } from "../primitives/dynamicSlice.js";
import { cumsum } from "./cumulative.js";
import { zeros } from "./creation.js";
import { mod } from "./elementwise.js";
import { concatenate } from "./joining.js";
import { slice } from "./indexing.js";
import { ravel, reshape } from "./shaping.js";
import { take } from "./taking.js";

/** Elements moved along axes, those that fall off the end coming back at the start; the shift may be computed. */
export const roll = checked(
  "np.roll",
  3,
  (
    x: ArrayLike,
    shift: number | Array | readonly number[],
    axis: number | readonly number[] | null = null,
  ): Array => {
    const array = asArray("roll", x);
    if (axis === null) return reshape(roll(ravel(array), shift, 0), array.shape);
    const axes = [axis].flat().map((at) => normalizeAxis("roll", at, array.ndim));
    const shifts = shiftsOf(shift, axes.length);
    return range(Math.max(axes.length, shifts.length)).reduce(
      (rolled, step) => rollAxis(rolled, shifts[step % shifts.length], axes[step % axes.length]),
      array,
    );
  },
);

/** One shift for all axes, one for each, or several for one axis. */
function shiftsOf(shift: number | Array | readonly number[], axes: number): readonly (number | Array)[] {
  const list =
    shift instanceof Array
      ? shift.ndim === 0
        ? [shift]
        : [...shift]
      : typeof shift === "number"
        ? [shift]
        : shift;
  for (const by of list) {
    const isWhole = by instanceof Array ? by.ndim === 0 && !isFloat(by.dtype) : Number.isInteger(by);
    if (!isWhole) fail("roll", `a shift must be a whole number or an integer scalar, got ${describe(by)}`);
  }
  if (list.length !== 1 && axes !== 1 && list.length !== axes) {
    fail("roll", `needs one shift or one for each of ${axes} axes, got ${list.length}`);
  }
  return list;
}

function rollAxis(x: Array, shift: number | Array, axis: number): Array {
  const extent = x.shape[axis];
  if (extent === 0) return x;
  const lead = range(axis).map(() => ":");
  if (typeof shift === "number") {
    const by = ((shift % extent) + extent) % extent;
    if (by === 0) return x;
    return concatenate([slice(x, ...lead, `${extent - by}:`), slice(x, ...lead, `:${extent - by}`)], axis);
  }
  // A window of the array laid twice behind itself.
  const start = mod(shift.astype("int32").neg(), extent);
  const starts = x.shape.map((_, at) => (at === axis ? start : constant(0, "int32")));
  return bindOne(dynamicSlice, [concatenate([x, x], axis), ...starts], { sizes: x.shape });
}

export interface RepeatOptions {
  /** How many elements the result has along the axis; needed where the counts are computed. */
  readonly totalRepeatLength?: number;
}

/**
 * Every element repeated in place along an axis, all as often or each by its own count; of the flattened array by
 * default. With `totalRepeatLength` what is too much is cut off, and the last element fills up what is missing.
 */
export const repeat = checked(
  "np.repeat",
  4,
  ["totalRepeatLength"],
  (
    x: ArrayLike,
    repeats: number | Array | readonly number[],
    axis: number | null = null,
    options: RepeatOptions = {},
  ): Array => {
    const array = asArray("repeat", x);
    if (axis === null) return repeat(ravel(array), repeats, 0, options);
    const at = normalizeAxis("repeat", axis, array.ndim);
    const { totalRepeatLength: total } = options;
    if (total !== undefined) checkWhole("repeat", "totalRepeatLength", total, 0);
    if (typeof repeats === "number" && total === undefined) {
      checkWhole("repeat", "repeats", repeats, 0);
      return repeatEvenly(array, repeats, at);
    }
    return take(array, sourcesOf(array, countsOf(array, repeats, at), total), at);
  },
);

function repeatEvenly(array: Array, repeats: number, at: number): Array {
  const shape = insertAt(array.shape, at + 1, repeats);
  const axes = without(range(shape.length), [at + 1]);
  return reshape(
    bindOne(broadcast, [array], { shape, axes }),
    replaceAt(array.shape, at, array.shape[at] * repeats),
  );
}

/** A count for each element along the axis, int32. */
function countsOf(array: Array, repeats: number | Array | readonly number[], at: number): Array {
  const list = typeof repeats === "number" ? [repeats] : repeats;
  if (!(list instanceof Array)) for (const count of list) checkWhole("repeat", "repeats", count, 0);
  const given =
    list instanceof Array ? list : concrete(arrayType([list.length], "int32"), Int32Array.from(list));
  const extent = array.shape[at];
  if (isFloat(given.dtype) || given.ndim > 1 || (given.size !== 1 && given.size !== extent)) {
    fail(
      "repeat",
      `repeats must be a whole number or a count for each of the ${extent} elements along axis ${at}, ` +
        `got ${showType(given.type)}`,
    );
  }
  return broadcastTo("repeat", given.reshape(-1).astype("int32"), [extent]);
}

/** The element that each place of the result comes from. */
function sourcesOf(array: Array, counts: Array, total: number | undefined): Array {
  const known = counts.elements;
  if (known !== null) {
    const sources = [...known].flatMap((count, at) => range(count).map(() => at));
    const wanted = total ?? sources.length;
    const filled = range(wanted).map((place) => sources[place] ?? known.length - 1);
    return concrete(arrayType([wanted], "int32"), Int32Array.from(filled));
  }
  if (total === undefined) {
    fail(
      "repeat",
      `the counts of ${showType(array.type)} are not known while tracing, so neither is the extent of the result; ` +
        `give totalRepeatLength`,
    );
  }
  // Each element marks where its repetitions begin; how many have begun by a place says whose it is.
  const starts = cumsum(counts).sub(counts);
  return cumsum(zeros([total], { dtype: "int32" }).at(starts).add(1)).sub(1);
}
