// Elements in another arrangement: repeated, moved, cut out, joined, surrounded, counted.
import type { BroadcastParams, IotaParams, PadParams, SliceParams, WindowParams } from "../../array/index.js";
import { gatherAlong } from "./gatherAlong.js";
import { one, rules } from "./rule.js";
import { showList, tensor, tensorOf } from "./types.js";
import type { Value, Writer } from "./writer.js";

const same = one((_, [x]) => x);

export const views = rules({
  stopGradient: same,
  gammaSample: same,
  barrier: one((writer, [x]) => writer.same("optimization_barrier", [x])),
  broadcast: one((writer, [x], { params }) => {
    const { shape, axes } = params as BroadcastParams;
    return writer.broadcast(x, shape, axes);
  }),
  reshape: one((writer, [x], { outputs: [output] }) => writer.reshape(x, output.type.shape)),
  transpose: one((writer, [x], { params, outputs: [output] }) => {
    const { permutation } = params as { readonly permutation: readonly number[] };
    return writer.op("transpose", [x], tensorOf(output.type), `dims = ${showList(permutation)}`);
  }),
  flip: one((writer, [x], { params }) => {
    const { axes } = params as { readonly axes: readonly number[] };
    return axes.length === 0 ? x : writer.same("reverse", [x], `dims = ${showList(axes)}`);
  }),
  slice: one((writer, [x], { params }) => {
    const { start, limit, step } = params as SliceParams;
    return sliceOf(writer, x, start, limit, step);
  }),
  pad: one((writer, [x, value], { params, outputs: [output] }) => {
    const { low, high, interior } = params as PadParams;
    const details = `low = ${showList(low)}, high = ${showList(high)}, interior = ${showList(interior)}`;
    return writer.op("pad", [x, value], tensorOf(output.type), details);
  }),
  concatenate: one((writer, operands, { params, outputs: [output] }) => {
    const { axis } = params as { readonly axis: number };
    return writer.op("concatenate", operands, tensorOf(output.type), `dim = ${axis}`);
  }),
  iota: one((writer, _, { params }) => {
    const { shape, axis, dtype } = params as IotaParams;
    // Narrow dtypes count in int32 and wrap around.
    return dtype === "bool" || dtype === "uint8"
      ? writer.convert(writer.iota(shape, axis), dtype)
      : writer.iota(shape, axis, dtype);
  }),
  dynamicSlice: one((writer, [x, ...starts], { params }) => {
    const { sizes } = params as { readonly sizes: readonly number[] };
    if (sizes.length === 0) return x;
    return writer.op("dynamic_slice", [x, ...starts], tensor(sizes, x.dtype), `sizes = ${showList(sizes)}`);
  }),
  dynamicUpdateSlice: one((writer, [x, update, ...starts]) =>
    starts.length === 0
      ? update
      : writer.op("dynamic_update_slice", [x, update, ...starts], tensor(x.shape, x.dtype)),
  ),
  window: one((writer, [x], { params, outputs: [output] }) => {
    const { axis, stride, dilation } = params as WindowParams;
    const [windows, size] = output.type.shape.slice(axis, axis + 2);
    const shape = [windows, size];
    const first = times(writer, writer.iota(shape, 0), stride);
    const inside = times(writer, writer.iota(shape, 1), dilation);
    return gatherAlong(writer, x, [axis], writer.elementwise("add", [first, inside]));
  }),
  windowSum: one(windowSum),
});

/** A part of an array. */
export function sliceOf(
  writer: Writer,
  x: Value,
  start: readonly number[],
  limit: readonly number[],
  step: readonly number[] = start.map(() => 1),
): Value {
  const shape = start.map((from, axis) => Math.ceil((limit[axis] - from) / step[axis]));
  if (x.splat !== undefined) return writer.constant(x.splat, x.dtype, shape);
  const ranges = start.map(
    (from, axis) => `${from}:${limit[axis]}${step[axis] === 1 ? "" : `:${step[axis]}`}`,
  );
  const type = tensor(shape, x.dtype);
  return writer.define(
    [type],
    `${x.name} ${showList(ranges)}`,
    "stablehlo.slice",
    writer.signature([x], type),
  )[0];
}

const times = (writer: Writer, x: Value, factor: number): Value =>
  factor === 1 ? x : writer.elementwise("multiply", [x, writer.constant(factor, x.dtype)]);

/**
 * Every element of the result asks each place of a window which window has it there, if any: sums that have one order
 * each time, as those of a scatter have not.
 */
function windowSum(writer: Writer, [x]: readonly Value[], { params }: { readonly params: object }): Value {
  const { axis, size, stride, dilation, extent } = params as WindowParams & { readonly extent: number };
  const shape = [extent, size];
  const windows = x.shape[axis];
  const result = tensor([...x.shape.slice(0, axis), extent, ...x.shape.slice(axis + 2)], x.dtype);
  if (windows === 0 || size === 0) return writer.constant(0, x.dtype, result.shape);
  const place = writer.iota(shape, 1);
  const number = (value: number) => writer.constant(value, "int32", shape);
  const start = writer.elementwise("subtract", [writer.iota(shape, 0), times(writer, place, dilation)]);
  const window = stride === 1 ? start : writer.elementwise("divide", [start, number(stride)]);
  const isInside = [
    writer.compare("GE", start, number(0)),
    writer.compare("LT", window, number(windows)),
    ...(stride === 1
      ? []
      : [writer.compare("EQ", writer.elementwise("remainder", [start, number(stride)]), number(0))]),
  ].reduce((all, next) => writer.elementwise("and", [all, next]));
  const picked = gatherPairs(writer, x, axis, window, place);
  const mask = writer.broadcast(isInside, picked.shape, [axis, axis + 1]);
  const kept = writer.select(mask, picked, writer.constant(0, x.dtype, picked.shape));
  return writer.reduce("add", kept, [axis + 1], writer.constant(0, x.dtype));
}

/** Elements (window, place) of two neighbouring axes, at computed places. */
function gatherPairs(writer: Writer, x: Value, axis: number, window: Value, place: Value): Value {
  const column = (index: Value) => writer.reshape(index, [...index.shape, 1]);
  const both = writer.op(
    "concatenate",
    [column(window), column(place)],
    tensor([...window.shape, 2], "int32"),
    `dim = ${window.shape.length}`,
  );
  return gatherAlong(writer, x, [axis, axis + 1], both);
}
