// NumPy's indexing: numbers, ranges, new axes and index arrays, for reading and for writing.
import { markEntry } from "../core/userCode.js";
import { Array, type ArrayLike } from "../core/array.js";
import { asArray, broadcastTo, toDType } from "../core/coerce.js";
import { isFloat, promoteDTypes } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import { range, sameShape, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { dynamicSlice, dynamicUpdateSlice } from "../primitives/dynamicSlice.js";
import { gather, scatter, type GatherParams, type ScatterParams } from "../primitives/gather.js";
import { flip, permute, permuteBack, reshape } from "../primitives/reshape.js";
import { slice as slicePrimitive } from "../primitives/slice.js";
import { parseIndex, type Entry, type Index } from "./indexParsing.js";
import { isWholeRange, keptShape, planIndex } from "./indexPlan.js";

export type { Index, Range } from "./indexParsing.js";

/** `slice(x, 0, "1:", "...", indices)` is NumPy's `x[0, 1:, ..., indices]`; computed indices are moved inside. */
export const slice = markEntry((x: ArrayLike, ...index: readonly Index[]): Array => {
  const array = asArray("slice", x);
  return readEntries(array, parseIndex("slice", array, index));
}, "np.slice");

/** What an index names, one entry per axis. */
export function readEntries(
  array: Array,
  entries: readonly Entry[],
  mode: GatherParams["mode"] = "clip",
): Array {
  const arrays = entries.filter((entry) => entry.kind === "array");
  const isBlock = mode === "clip" && arrays.every((entry) => entry.positions.ndim === 0);
  if (arrays.length > 0 && !isBlock) return readAt(array, entries, mode);
  return arrays.length > 0
    ? readBlock(array, entries)
    : withShape(readRanges(array, entries), keptShape(entries));
}

const withShape = (x: Array, shape: Shape): Array =>
  sameShape(x.shape, shape) ? x : bindOne(reshape, [x], { shape });

const axisEntries = (entries: readonly Entry[]) => entries.filter((entry) => entry.kind !== "newaxis");

/** Cuts out ranges and single positions (which stay as axes of extent 1); indexed axes stay whole. */
function readRanges(x: Array, entries: readonly Entry[]): Array {
  const axes = axisEntries(entries);
  const spans = axes.map((entry, axis) => {
    if (entry.kind === "position") return { start: entry.at, limit: entry.at + 1, step: 1 };
    if (entry.kind === "array") return { start: 0, limit: x.shape[axis], step: 1 };
    const { start, count, step } = entry;
    if (count === 0) return { start: 0, limit: 0, step: 1 };
    const last = start + (count - 1) * step;
    return { start: Math.min(start, last), limit: Math.max(start, last) + 1, step: Math.abs(step) };
  });
  const start = spans.map((span) => span.start);
  const limit = spans.map((span) => span.limit);
  const step = spans.map((span) => span.step);
  const isWhole = sameShape(limit, x.shape) && start.every((at) => at === 0) && step.every((by) => by === 1);
  const part = isWhole ? x : bindOne(slicePrimitive, [x], { start, limit, step });
  const backwards = range(x.ndim).filter((axis) => {
    const entry = axes[axis] as Entry;
    return entry.kind === "range" && entry.step < 0 && entry.count > 1;
  });
  return backwards.length === 0 ? part : bindOne(flip, [part], { axes: backwards });
}

/** Single positions that are computed: one block of extent 1 along their axes. */
function readBlock(x: Array, entries: readonly Entry[]): Array {
  const part = readRanges(x, entries);
  const axes = axisEntries(entries);
  const starts = axes.map((entry) => (entry.kind === "array" ? entry.positions : constant(0, "int32")));
  const sizes = part.shape.map((extent, axis) => (axes[axis]?.kind === "array" ? 1 : extent));
  return withShape(bindOne(dynamicSlice, [part, ...starts], { sizes }), keptShape(entries));
}

/** Index arrays; single positions among them count as index arrays too, as in NumPy. */
function readAt(x: Array, entries: readonly Entry[], mode: GatherParams["mode"]): Array {
  const advanced = entries.map((entry): Entry =>
    entry.kind === "position" ? { kind: "array", positions: constant(entry.at, "int32") } : entry,
  );
  const part = readRanges(x, advanced);
  const plan = planIndex("slice", advanced, (entry) => entry.kind === "array");
  const { batchDims } = plan;
  const picked = bindOne(gather, [permute(part, plan.axes), plan.positions], { batchDims, mode });
  return withShape(permute(picked, plan.order), plan.shape);
}

/** Values in the array's dtype, refused if that would lose something. */
export function fitting(operation: string, x: Array, values: ArrayLike): Array {
  const isFraction = typeof values === "number" && !Number.isInteger(values) && !isFloat(x.dtype);
  const isLarger = values instanceof Array && promoteDTypes([x.type, values.type]).dtype !== x.dtype;
  if (isFraction || isLarger) {
    const given = values instanceof Array ? values.dtype : String(values);
    fail(operation, `${given} does not fit into an array of ${x.dtype}; convert one of them with astype`);
  }
  return toDType(operation, values, x.dtype);
}

/** A block at a place known while tracing. */
export function replaceBlock(
  x: Array,
  entries: readonly Entry[],
  update: Array,
  combine: (old: Array, value: Array) => Array,
): Array {
  const block = readRanges(x, entries);
  const values = withShape(broadcastTo("at", update, keptShape(entries)), block.shape);
  const starts = axisEntries(entries).map((entry) =>
    constant(
      entry.kind === "range"
        ? entry.count === 0
          ? 0
          : entry.start
        : entry.kind === "position"
          ? entry.at
          : 0,
      "int32",
    ),
  );
  return bindOne(dynamicUpdateSlice, [x, combine(block, values), ...starts], {});
}

/** Places that are computed or not next to each other. */
export function scatterAt(
  name: string,
  x: Array,
  entries: readonly Entry[],
  update: Array,
  operation: ScatterParams["operation"],
  mode: ScatterParams["mode"] = "drop",
): Array {
  const axes = axisEntries(entries);
  const plan = planIndex(
    name,
    entries,
    (entry) => !isWholeRange(entry, x.shape[axes.indexOf(entry as never)]),
  );
  const values = broadcastTo(name, update, plan.shape);
  const unplaced = permuteBack(withShape(values, plan.shapeWithoutNewAxes), plan.order);
  const { axes: order, batchDims } = plan;
  const written = bindOne(scatter, [permute(x, order), unplaced, plan.positions], {
    batchDims,
    mode,
    operation,
  });
  return permuteBack(written, order);
}
