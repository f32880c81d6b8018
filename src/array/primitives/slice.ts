// Taking a regular part of an array, and its counterpart: surrounding an array with padding.
import type { Array } from "../core/array.js";
import { allocate, dtypes } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import type { Primitive } from "../core/primitive.js";
import { range, showShape, sizeOf, stridesOf, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType } from "../core/type.js";
import { broadcast } from "./broadcast.js";
import { checkDType } from "./elementwise.js";
import { linearPrimitive, repeatBatch } from "./linear.js";
import { reduceSum } from "./reduce.js";
import { choose } from "./select.js";
import { forEachStrided, gatherStrided } from "./strided.js";

export interface SliceParams {
  readonly start: readonly number[];
  /** One past the last index of each axis. */
  readonly limit: readonly number[];
  /** Positive step of each axis. */
  readonly step: readonly number[];
}

export const slice: Primitive<SliceParams> = linearPrimitive({
  name: "slice",
  infer([x], { start, limit, step }) {
    const fits = x.shape.every(
      (extent, axis) =>
        start[axis] >= 0 && start[axis] <= limit[axis] && limit[axis] <= extent && step[axis] >= 1,
    );
    if (!fits || start.length !== x.shape.length) {
      fail(
        "slice",
        `${showShape(start)} to ${showShape(limit)} by ${showShape(step)} is not inside ${showType(x)}`,
      );
    }
    const shape = start.map((from, axis) => Math.ceil((limit[axis] - from) / step[axis]));
    return [arrayType(shape, x.dtype, x.weak)];
  },
  evaluate([x], { start, step }, [output]) {
    const strides = stridesOf(x.shape);
    const offset = start.reduce((sum, from, axis) => sum + from * strides[axis], 0);
    return [
      gatherStrided(
        x.elements,
        x.dtype,
        output.shape,
        strides.map((stride, axis) => stride * step[axis]),
        offset,
      ),
    ];
  },
  transpose(ct, _known, [type], { start, step }) {
    const { shape } = type;
    const interior = step.map((by) => by - 1);
    const high = shape.map((extent, axis) => extent - start[axis] - spread(ct.shape, interior, axis));
    return [bindOne(pad, [ct, constant(0, ct.dtype)], { low: start, high, interior })];
  },
  batch: (inputs, _batched, { start, limit, step }, size) => ({
    outputs: [bindOne(slice, inputs, { start: [0, ...start], limit: [size, ...limit], step: [1, ...step] })],
    batched: [true],
  }),
});

export interface PadParams {
  /** Elements added before the first and after the last of each axis; negative removes. */
  readonly low: readonly number[];
  readonly high: readonly number[];
  /** Elements added between neighbours of each axis. */
  readonly interior: readonly number[];
}

/** The extent of an axis with its interior padding. */
const spread = (shape: Shape, interior: readonly number[], axis: number): number =>
  Math.max(0, (shape[axis] - 1) * (interior[axis] + 1) + 1);

/** `pad(x, value)`: x surrounded and interleaved with a scalar. */
export const pad: Primitive<PadParams> = linearPrimitive(
  {
    name: "pad",
    infer([x, value], { low, high, interior }) {
      checkDType("pad", [x, value], dtypes);
      const shape = x.shape.map((_, axis) => low[axis] + high[axis] + spread(x.shape, interior, axis));
      if (
        low.length !== x.shape.length ||
        shape.some((extent) => extent < 0) ||
        interior.some((by) => by < 0)
      ) {
        fail(
          "pad",
          `cannot pad ${showType(x)} by ${showShape(low)} before, ${showShape(high)} after and ${showShape(interior)} between`,
        );
      }
      return [arrayType(shape, x.dtype, x.weak)];
    },
    evaluate([x, value], { low, interior }, [output]) {
      const { shape, dtype } = output;
      const out = allocate(dtype, sizeOf(shape)).fill(value.elements[0]);
      const strides = stridesOf(shape);
      const from = x.elements;
      const inner = stridesOf(x.shape);
      // Only elements that land inside: negative padding cuts some off.
      const keep = x.shape.map((extent, axis) => {
        const by = interior[axis] + 1;
        const first = Math.max(0, Math.ceil(-low[axis] / by));
        const last = Math.min(extent - 1, Math.floor((shape[axis] - 1 - low[axis]) / by));
        return { first, count: Math.max(0, last - first + 1), by };
      });
      const counts = keep.map(({ count }) => count);
      const source = new Int32Array(sizeOf(counts));
      const start = keep.reduce((sum, { first }, axis) => sum + first * inner[axis], 0);
      forEachStrided(counts, inner, start, (strided, at) => (source[at] = strided));
      const offset = keep.reduce(
        (sum, { first, by }, axis) => sum + (low[axis] + first * by) * strides[axis],
        0,
      );
      const steps = strides.map((stride, axis) => stride * (keep[axis]?.by ?? 1));
      forEachStrided(counts, steps, offset, (strided, at) => (out[strided] = from[source[at]]));
      return [out];
    },
    transpose(ct, [x, value], [type], { low, high, interior }) {
      const inside = x === null || value === null ? takeBack(ct, type.shape, low, high, interior) : null;
      const total = (array: Array) => bindOne(reduceSum, [array], { axes: range(array.ndim) });
      return [
        x === null ? inside : null,
        value === null && inside !== null ? total(ct).sub(total(inside)) : null,
      ];
    },
    batch([x, value], [xBatched, valueBatched], { low, high, interior }, size) {
      const lead = { low: [0, ...low], high: [0, ...high], interior: [0, ...interior] };
      const operand = xBatched ? x : repeatBatch(x, size);
      if (!valueBatched) return { outputs: [bindOne(pad, [operand, value], lead)], batched: [true] };
      // Each example has a padding value of its own: choose it where the padding of a mask says so.
      const padded = bindOne(pad, [operand, constant(0, operand.dtype)], lead);
      const inside = bindOne(broadcast, [constant(1, "bool")], { shape: operand.shape, axes: [] });
      const mask = bindOne(pad, [inside, constant(0, "bool")], lead);
      const values = bindOne(broadcast, [value], { shape: padded.shape, axes: [0] });
      return { outputs: [choose(mask, padded, values)], batched: [true] };
    },
  },
  2,
);

/** The elements of a padded array that are not padding, zero for those that were cut off. */
function takeBack(
  ct: Array,
  shape: Shape,
  low: readonly number[],
  high: readonly number[],
  interior: readonly number[],
): Array {
  const whole = bindOne(pad, [ct, constant(0, ct.dtype)], {
    low: low.map((by) => -by),
    high: high.map((by) => -by),
    interior: interior.map(() => 0),
  });
  return bindOne(slice, [whole], {
    start: shape.map(() => 0),
    limit: whole.shape,
    step: interior.map((by) => by + 1),
  });
}
