// Reading and writing at computed places, with what our language means by places outside.
import type { Equation, GatherParams, ScatterParams } from "../../array/index.js";
import { writeGather, type GatherNumbers } from "./gatherAlong.js";
import { extreme } from "./numbers.js";
import { one, rules } from "./rule.js";
import { showList, tensor, tensorOf } from "./types.js";
import type { Value, Writer } from "./writer.js";

const range = (count: number, from = 0): number[] => Array.from({ length: count }, (_, at) => from + at);

/** Operand [batch, indexed…, rest…] and indices [batch, positions…, K]. */
interface Places {
  readonly batch: number;
  /** How many axes are indexed. */
  readonly count: number;
  readonly indexed: readonly number[];
  readonly positions: readonly number[];
  readonly rest: readonly number[];
}

function placesOf(x: Value, indices: Value, { batchDims: batch }: GatherParams): Places {
  const count = indices.shape[indices.shape.length - 1];
  return {
    batch,
    count,
    indexed: x.shape.slice(batch, batch + count),
    positions: indices.shape.slice(batch, -1),
    rest: x.shape.slice(batch + count),
  };
}

/** An operand and indices of which none is indexed, with an axis of one element to index. */
function withIndexedAxis(
  writer: Writer,
  x: Value,
  indices: Value,
  { batchDims }: GatherParams,
): [Value, Value] {
  if (indices.shape[indices.shape.length - 1] > 0) return [x, indices];
  return [
    writer.reshape(x, [...x.shape.slice(0, batchDims), 1, ...x.shape.slice(batchDims)]),
    writer.constant(0, "int32", [...indices.shape.slice(0, -1), 1]),
  ];
}

/** One number for each indexed axis, along the last axis of the indices. */
function alongAxes(writer: Writer, numbers: readonly number[], like: Value): Value {
  const parts = numbers.map((value) => writer.constant(value, "int32", [1]));
  if (parts.length === 1) return writer.constant(numbers[0], "int32", like.shape);
  const list = writer.op("concatenate", parts, tensor([parts.length], "int32"), "dim = 0");
  return writer.broadcast(list, like.shape, [like.shape.length - 1]);
}

/** Whether all indices of a place are inside. */
function isInside(writer: Writer, indices: Value, { indexed }: Places): Value {
  const last = indices.shape.length - 1;
  const all = writer.elementwise("and", [
    writer.compare("GE", indices, writer.constant(0, "int32", indices.shape)),
    writer.compare("LT", indices, alongAxes(writer, indexed, indices)),
  ]);
  return writer.reduce("and", all, [last], writer.constant(1, "bool"));
}

const gather = one((writer, [given, table], { params, outputs: [output] }) => {
  const { mode } = params as GatherParams;
  const [x, indices] = withIndexedAxis(writer, given, table, params as GatherParams);
  const places = placesOf(x, indices, params as GatherParams);
  const { batch, count, rest, positions, indexed } = places;
  const { shape } = output.type;
  if (indexed.includes(0)) return writer.constant(0, x.dtype, shape);
  const numbers: GatherNumbers = {
    offsetDims: range(rest.length, batch + positions.length),
    collapsed: range(count, batch),
    operandBatching: range(batch),
    indexBatching: range(batch),
    startIndexMap: range(count, batch),
    indexVectorDim: indices.shape.length - 1,
    sliceSizes: [...range(batch + count).map(() => 1), ...rest],
  };
  const read = writeGather(writer, x, indices, shape, numbers);
  if (mode === "clip" || shape.includes(0)) return read;
  const inside = writer.broadcast(isInside(writer, indices, places), shape, range(batch + positions.length));
  return writer.select(inside, read, writer.constant(0, x.dtype, shape));
});

// ---- scatter ------------------------------------------------------------------------------------------

type Operation = ScatterParams["operation"];

/** What is there and an update, made one. */
function combine(writer: Writer, operation: Operation, old: Value, update: Value): Value {
  switch (operation) {
    case "set":
      return update;
    case "add":
      return writer.elementwise("add", [old, update]);
    case "mul":
      return writer.elementwise("multiply", [old, update]);
    case "min":
      return extreme(writer, false, old, update);
    case "max":
      return extreme(writer, true, old, update);
  }
}

/** `stablehlo.scatter`, which leaves out what is outside. Updates of one place may come in any order. */
function writeScatter(
  writer: Writer,
  x: Value,
  updates: Value,
  indices: Value,
  places: Places,
  operation: Operation,
  isUnique: boolean,
): Value {
  const { batch, count, rest, positions } = places;
  const lists = [
    ["update_window_dims", range(rest.length, batch + positions.length)],
    ["inserted_window_dims", range(count, batch)],
    ["input_batching_dims", range(batch)],
    ["scatter_indices_batching_dims", range(batch)],
    ["scatter_dims_to_operand_dims", range(count, batch)],
  ] as const;
  const shown = lists
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name} = ${showList(list)}`);
  const dimensions = [...shown, `index_vector_dim = ${indices.shape.length - 1}`].join(", ");
  const attributes =
    `indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<${dimensions}>, ` +
    `unique_indices = ${isUnique}`;
  const element = tensor([], x.dtype);
  const write = ([old, update]: readonly Value[]) => [combine(writer, operation, old, update)];
  return writer.regions(
    "scatter",
    [x, indices, updates],
    attributes,
    [tensor(x.shape, x.dtype)],
    [{ arguments: [element, element], write }],
  )[0];
}

/** Indices moved inside. */
function clipped(writer: Writer, indices: Value, { indexed }: Places): Value {
  const last = alongAxes(
    writer,
    indexed.map((extent) => extent - 1),
    indices,
  );
  return writer.elementwise("minimum", [
    writer.elementwise("maximum", [indices, writer.constant(0, "int32", indices.shape)]),
    last,
  ]);
}

/**
 * Indices of which only the last that goes to a place is left, and the others are outside. The largest number of an
 * update at each place tells which it is.
 */
function lastOnly(writer: Writer, x: Value, indices: Value, places: Places): Value {
  const { batch, positions, indexed } = places;
  const rows = indices.shape.slice(0, -1);
  const per = positions.reduce((product, extent) => product * extent, 1);
  const batches = x.shape.slice(0, batch);
  const numbers = writer.broadcast(
    writer.reshape(writer.iota([per], 0), positions),
    rows,
    range(positions.length, batch),
  );
  const region = writer.constant(-1, "int32", [...batches, ...indexed]);
  const flat: Places = { ...places, rest: [] };
  const winners = writeScatter(writer, region, numbers, indices, flat, "max", false);
  const winner = writeGather(writer, winners, indices, rows, {
    offsetDims: [],
    collapsed: range(places.count, batch),
    operandBatching: range(batch),
    indexBatching: range(batch),
    startIndexMap: range(places.count, batch),
    indexVectorDim: rows.length,
    sliceSizes: [...batches, ...indexed].map(() => 1),
  });
  const isLast = writer.broadcast(writer.compare("EQ", winner, numbers), indices.shape, range(rows.length));
  return writer.select(isLast, indices, writer.constant(-1, "int32", indices.shape));
}

const scatter = one((writer, [given, updates, table], equation: Equation) => {
  const params = equation.params as ScatterParams;
  const { operation, mode } = params;
  const [x, indices] = withIndexedAxis(writer, given, table, params);
  const places = placesOf(x, indices, params);
  if (updates.shape.includes(0) || x.shape.includes(0)) return given;
  const isUnique = places.positions.every((extent) => extent === 1);
  const moved = mode === "clip" ? clipped(writer, indices, places) : indices;
  const target = operation === "set" && !isUnique ? lastOnly(writer, x, moved, places) : moved;
  const written = writeScatter(
    writer,
    x,
    updates,
    target,
    places,
    operation,
    isUnique || operation === "set",
  );
  return writer.reshape(written, tensorOf(equation.outputs[0].type).shape);
});

export const indexing = rules({ gather, scatter });
