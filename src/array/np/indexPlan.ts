// The plan of an index with arrays of positions: how axes must be ordered for gather and scatter.
import type { Array } from "../core/array.js";
import { broadcastTo } from "../core/coerce.js";
import { constant } from "../core/interpret.js";
import { broadcastShapes, range, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { concatenate } from "../primitives/concatenate.js";
import { broadcast } from "../primitives/broadcast.js";
import { iota } from "../primitives/iota.js";
import { reshape } from "../primitives/reshape.js";
import { arrayType } from "../core/type.js";
import { zeros } from "../primitives/linear.js";
import type { Entry, RangeEntry } from "./indexParsing.js";

export interface IndexPlan {
  /** How many axes are taken whole before the first that is indexed: they stay in front. */
  readonly batchDims: number;
  /** The array's axes as gather and scatter take them: [batch…, indexed…, rest…]. */
  readonly axes: readonly number[];
  /** int32 [batch…, positions…, indexed axes], as gather and scatter take it. */
  readonly positions: Array;
  /** Brings the axes [batch…, positions…, rest…] into the order of NumPy's result, new axes aside. */
  readonly order: readonly number[];
  /** The shape of NumPy's result. */
  readonly shape: Shape;
  readonly shapeWithoutNewAxes: Shape;
}

/** Whether an entry leaves an axis of the given extent as it is. */
export const isWholeRange = (entry: Entry, extent: number): boolean =>
  entry.kind === "range" && entry.start === 0 && entry.step === 1 && entry.count === extent;

/** What ranges and new axes contribute to the result's shape. */
export const keptShape = (entries: readonly Entry[]): Shape =>
  entries.flatMap((entry) => (entry.kind === "range" ? [entry.count] : entry.kind === "newaxis" ? [1] : []));

/** Plans an index. `viaPositions` says which entries go through positions; the others must be whole ranges. */
export function planIndex(
  operation: string,
  entries: readonly Entry[],
  viaPositions: (entry: Entry) => boolean,
): IndexPlan {
  const axisEntries = entries.filter((entry) => entry.kind !== "newaxis");
  const indexed = axisEntries.filter(viaPositions);
  const rest = axisEntries.filter((entry) => !viaPositions(entry));
  const firstIndexed = axisEntries.findIndex(viaPositions);
  const batch = axisEntries.slice(0, Math.max(0, firstIndexed));
  const isAdvanced = (entry: Entry) => entry.kind === "array" || entry.kind === "position";
  const shared = broadcastShapes(
    operation,
    ...indexed.map((entry) => (entry.kind === "array" ? entry.positions.shape : [])),
  );
  const ranges = indexed.filter((entry) => entry.kind === "range");
  const shape = [...shared, ...ranges.map((entry) => entry.count)];

  // Each axis [batch…, positions…, rest…] by what it comes from: a shared axis by its number, a range by its entry.
  const sources: readonly (number | Entry)[] = [
    ...batch,
    ...range(shared.length),
    ...ranges,
    ...rest.slice(batch.length),
  ];
  const kept = entries.filter((entry) => entry.kind === "range" || entry.kind === "newaxis");
  const first = entries.findIndex(isAdvanced);
  const last = entries.length - 1 - [...entries].reverse().findIndex(isAdvanced);
  // NumPy puts the shared axes where the index arrays stand, or in front if something stands between them.
  const areTogether = first >= 0 && entries.slice(first, last + 1).every(isAdvanced);
  const before = areTogether ? kept.filter((entry) => entries.indexOf(entry) < first).length : 0;
  const placed = [...kept.slice(0, before), ...range(shared.length), ...kept.slice(before)];
  const named = placed.filter((source) => typeof source === "number" || source.kind !== "newaxis");
  const extentOf = (source: number | Entry): number =>
    typeof source === "number" ? shared[source] : source.kind === "range" ? source.count : 1;

  const table = positionTable(operation, indexed, ranges, shared, shape);
  return {
    batchDims: batch.length,
    axes: [...batch, ...indexed, ...rest.slice(batch.length)].map((entry) => axisEntries.indexOf(entry)),
    positions: batch.length === 0 ? table : repeated(table, batch.map(extentOf)),
    order: named.map((source) => sources.indexOf(source)),
    shape: placed.map(extentOf),
    shapeWithoutNewAxes: named.map(extentOf),
  };
}

/** The same positions for every example of a batch. */
const repeated = (table: Array, batch: Shape): Array =>
  bindOne(broadcast, [table], {
    shape: [...batch, ...table.shape],
    axes: range(table.ndim).map((axis) => batch.length + axis),
  });

function positionTable(
  operation: string,
  indexed: readonly Entry[],
  ranges: readonly RangeEntry[],
  shared: Shape,
  shape: Shape,
): Array {
  const columns = indexed.map((entry) => {
    const positions =
      entry.kind === "range"
        ? rangePositions(entry, shared.length + ranges.indexOf(entry), shape)
        : sharedPositions(operation, entry, shared, shape);
    return bindOne(reshape, [positions], { shape: [...shape, 1] });
  });
  if (columns.length === 0) return zeros(arrayType([...shape, 0], "int32"));
  return columns.length === 1 ? columns[0] : bindOne(concatenate, columns, { axis: shape.length });
}

function rangePositions({ start, step }: RangeEntry, axis: number, shape: Shape): Array {
  return bindOne(iota, [], { shape, axis, dtype: "int32" }).mul(step).add(start);
}

function sharedPositions(operation: string, entry: Entry, shared: Shape, shape: Shape): Array {
  const positions =
    entry.kind === "array" ? entry.positions : constant(entry.kind === "position" ? entry.at : 0, "int32");
  const all = broadcastTo(operation, positions, shared);
  return all.ndim === shape.length ? all : bindOne(broadcast, [all], { shape, axes: range(shared.length) });
}
