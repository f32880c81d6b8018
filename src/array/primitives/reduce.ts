// Reductions: many elements of some axes to one.
import type { Array, Concrete } from "../core/array.js";
import { allocate, isFloat, limitOf, type DType, type TypedArray } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import type { Primitive } from "../core/primitive.js";
import { range, sizeOf, stridesOf, without, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType, type ArrayType } from "../core/type.js";
import { broadcast } from "./broadcast.js";
import { iota } from "./iota.js";
import { linearPrimitive } from "./linear.js";
import { equal } from "./logic.js";
import { choose } from "./select.js";
import { forEachStrided } from "./strided.js";

export interface ReduceParams {
  /** The axes that vanish; ascending. */
  readonly axes: readonly number[];
  /** Of extremes along one axis: who gets the gradient of several equal ones. Without it all share it evenly. */
  readonly ties?: "first";
}

interface ReduceSpec {
  readonly name: string;
  readonly accepts: (dtype: DType) => boolean;
  readonly initial: (dtype: DType) => number;
  readonly combine: (dtype: DType) => (total: number, element: number) => number;
}

/** The rules that all reductions share. */
const reduceRules = ({ name, accepts, initial, combine }: ReduceSpec) => ({
  name,
  infer([x]: readonly ArrayType[], { axes }: ReduceParams): ArrayType[] {
    if (!accepts(x.dtype)) fail(name, `does not work on ${showType(x)}`);
    return [arrayType(without(x.shape, axes), x.dtype, x.weak)];
  },
  evaluate([x]: readonly Concrete[], { axes }: ReduceParams, [output]: readonly ArrayType[]): TypedArray[] {
    const { shape, dtype } = output;
    const outputStrides = stridesOf(shape);
    const kept = without(range(x.ndim), axes);
    const strides = x.shape.map((_, axis) => outputStrides[kept.indexOf(axis)] ?? 0);
    // Float sums are kept in double precision and rounded once.
    const totals = isFloat(dtype) ? new Float64Array(sizeOf(shape)) : allocate(dtype, sizeOf(shape));
    totals.fill(initial(dtype));
    const step = combine(dtype);
    const from = x.elements;
    forEachStrided(x.shape, strides, 0, (target, at) => {
      totals[target] = step(totals[target], from[at]);
    });
    return [dtype === "float32" ? new Float32Array(totals) : totals];
  },
});

const batchReduce =
  (self: () => Primitive<ReduceParams>): Primitive<ReduceParams>["batch"] =>
  (inputs, _batched, { axes, ...rest }) => ({
    outputs: [bindOne(self(), inputs, { axes: axes.map((axis) => axis + 1), ...rest })],
    batched: [true],
  });

export const reduceSum: Primitive<ReduceParams> = linearPrimitive({
  ...reduceRules({
    name: "reduceSum",
    accepts: (dtype) => dtype !== "bool",
    initial: () => 0,
    combine: () => (total, element) => total + element,
  }),
  transpose(ct, _known, [type], { axes }) {
    const { shape } = type;
    return [spreadOver(ct, shape, axes)];
  },
  batch: batchReduce(() => reduceSum),
});

/** A reduced array, repeated over the axes that were reduced. */
const spreadOver = (reduced: Array, shape: Shape, axes: readonly number[]): Array =>
  bindOne(broadcast, [reduced], { shape, axes: without(range(shape.length), axes) });

function extremum(name: string, largest: boolean): Primitive<ReduceParams> {
  const primitive: Primitive<ReduceParams> = {
    ...reduceRules({
      name,
      accepts: () => true,
      initial: (dtype) => limitOf(dtype, largest ? -1 : 1),
      combine: () => (largest ? Math.max : Math.min),
    }),
    // The gradient goes to the extreme elements, shared evenly where several are equal.
    jvp([x], [t], params) {
      const output = bindOne(primitive, [x], params);
      if (!t) return { outputs: [output], tangents: [null] };
      const { axes, ties } = params;
      if (ties === "first") return { outputs: [output], tangents: [ofFirst(x, t, axes)] };
      const hits = bindOne(equal, [x, spreadOver(output, x.shape, axes)], {}).astype(x.dtype);
      const share = bindOne(reduceSum, [hits], params);
      return { outputs: [output], tangents: [bindOne(reduceSum, [t.mul(hits)], params).div(share)] };
    },
    batch: batchReduce(() => primitive),
  };
  /** The tangent of the first of the extreme elements along one axis. */
  const ofFirst = (x: Array, t: Array, axes: readonly number[]): Array => {
    const [axis] = axes as [number];
    const first = bindOne(largest ? argMax : argMin, [x], { axis });
    const positions = bindOne(iota, [], { shape: x.shape, axis, dtype: "int32" });
    const isFirst = bindOne(equal, [positions, spreadOver(first, x.shape, axes)], {});
    return bindOne(reduceSum, [choose(isFirst, t, constant(0, t.dtype))], { axes });
  };
  return primitive;
}

/** The largest element; of `bool`, whether any is true. NaN wins. */
export const reduceMax = extremum("reduceMax", true);
/** The smallest element; of `bool`, whether all are true. NaN wins. */
export const reduceMin = extremum("reduceMin", false);

export interface ArgReduceParams {
  readonly axis: number;
}

function argExtremum(
  name: string,
  beats: (element: number, best: number) => boolean,
): Primitive<ArgReduceParams> {
  const primitive: Primitive<ArgReduceParams> = {
    name,
    infer([x], { axis }) {
      if (x.shape[axis] === 0) fail(name, `${showType(x)} has no elements along axis ${axis}`);
      return [arrayType(without(x.shape, [axis]), "int32")];
    },
    evaluate([x], { axis }, [output]) {
      const from = x.elements;
      const extent = x.shape[axis];
      const stride = stridesOf(x.shape)[axis];
      const out = new Int32Array(sizeOf(output.shape));
      for (let at = 0; at < out.length; at++) {
        const start = Math.floor(at / stride) * stride * extent + (at % stride);
        let best = from[start];
        for (let index = 1; index < extent && !Number.isNaN(best); index++) {
          const element = from[start + index * stride];
          if (Number.isNaN(element) || beats(element, best)) {
            best = element;
            out[at] = index;
          }
        }
      }
      return [out];
    },
    jvp: (inputs, _tangents, params) => ({ outputs: [bindOne(primitive, inputs, params)], tangents: [null] }),
    batch: (inputs, _batched, { axis }) => ({
      outputs: [bindOne(primitive, inputs, { axis: axis + 1 })],
      batched: [true],
    }),
  };
  return primitive;
}

/** The index of the first largest element along an axis; a NaN counts as largest. */
export const argMax = argExtremum("argMax", (element, best) => element > best);
/** The index of the first smallest element along an axis; a NaN counts as smallest. */
export const argMin = argExtremum("argMin", (element, best) => element < best);
