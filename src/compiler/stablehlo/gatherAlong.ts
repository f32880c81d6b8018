// Reading at computed places: the operation of StableHLO, whose indices are moved inside.
import { showList, showNumbers, tensor } from "./types.js";
import type { Value, Writer } from "./writer.js";

const range = (count: number, from = 0): number[] => Array.from({ length: count }, (_, at) => from + at);

export interface GatherNumbers {
  readonly offsetDims: readonly number[];
  readonly collapsed: readonly number[];
  readonly operandBatching: readonly number[];
  readonly indexBatching: readonly number[];
  readonly startIndexMap: readonly number[];
  readonly indexVectorDim: number;
  readonly sliceSizes: readonly number[];
}

/** `stablehlo.gather` with its numbers of dimensions; lists that are empty are left out. */
export function writeGather(
  writer: Writer,
  x: Value,
  indices: Value,
  shape: readonly number[],
  numbers: GatherNumbers,
): Value {
  // Of nothing, there is nothing to read, not even from nowhere.
  if (shape.includes(0)) return writer.constant(0, x.dtype, shape);
  const lists = [
    ["offset_dims", numbers.offsetDims],
    ["collapsed_slice_dims", numbers.collapsed],
    ["operand_batching_dims", numbers.operandBatching],
    ["start_indices_batching_dims", numbers.indexBatching],
    ["start_index_map", numbers.startIndexMap],
  ] as const;
  const shown = lists
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name} = ${showList(list)}`);
  const dimensions = [...shown, `index_vector_dim = ${numbers.indexVectorDim}`].join(", ");
  const attributes =
    `dimension_numbers = #stablehlo.gather<${dimensions}>, indices_are_sorted = false, ` +
    `slice_sizes = ${showNumbers(numbers.sliceSizes)}`;
  return writer.generic("gather", [x, indices], attributes, tensor(shape, x.dtype));
}

/**
 * Some neighbouring axes of x replaced by those of int32 indices into them. With several axes, the last axis of the
 * indices has one for each.
 */
export function gatherAlong(writer: Writer, x: Value, axes: readonly number[], indices: Value): Value {
  const positions = axes.length === 1 ? indices.shape : indices.shape.slice(0, -1);
  const [first] = axes;
  const before = x.shape.slice(0, first);
  const after = x.shape.slice(first + axes.length);
  return writeGather(writer, x, indices, [...before, ...positions, ...after], {
    offsetDims: [...range(first), ...range(after.length, first + positions.length)],
    collapsed: axes,
    operandBatching: [],
    indexBatching: [],
    startIndexMap: axes,
    indexVectorDim: positions.length,
    sliceSizes: x.shape.map((extent, axis) => (axes.includes(axis) ? 1 : extent)),
  });
}
