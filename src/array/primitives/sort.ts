// Sorting, with further operands carried along.
import type { Array } from "../core/array.js";
import { allocate } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import type { Primitive, Tangent } from "../core/primitive.js";
import { range, sameShape, sizeOf, stridesOf } from "../core/shape.js";
import { bind, bindOne } from "../core/trace.js";
import { showType, type ArrayType } from "../core/type.js";
import { gather } from "./gather.js";
import { iota } from "./iota.js";
import { repeatBatch } from "./linear.js";
import { permute, permuteBack, reshape } from "./reshape.js";

export interface SortParams {
  readonly axis: number;
  /** The first so many operands decide the order, the earlier ones first. */
  readonly keys: number;
}

/** Operands of one shape, reordered along an axis so that the keys ascend. Stable; NaN comes last. */
export const sort: Primitive<SortParams> = {
  name: "sort",
  infer(inputs, { keys }) {
    const [first] = inputs as [ArrayType];
    if (inputs.some((input) => !sameShape(input.shape, first.shape))) {
      fail("sort", `operands must have one shape, got ${inputs.map(showType).join(" and ")}`);
    }
    if (!(keys >= 1 && keys <= inputs.length)) {
      fail("sort", `numKeys must be 1 to ${inputs.length}, the number of operands; got ${keys}`);
    }
    return inputs.map((input) => ({ ...input, weak: false }));
  },
  evaluate(inputs, { axis, keys }) {
    const { shape } = inputs[0] as Array;
    const extent = shape[axis];
    const stride = stridesOf(shape)[axis];
    const from = inputs.map((input) => input.elements);
    const out = inputs.map((input) => allocate(input.dtype, sizeOf(shape)));
    const order = new Uint32Array(extent);
    for (let lane = 0; lane < sizeOf(shape) / Math.max(1, extent); lane++) {
      const start = Math.floor(lane / stride) * stride * extent + (lane % stride);
      for (let index = 0; index < extent; index++) order[index] = start + index * stride;
      order.sort((a, b) => {
        for (let key = 0; key < keys; key++) {
          const values = from[key];
          const difference = compare(values[a], values[b]);
          if (difference !== 0) return difference;
        }
        return a - b;
      });
      out.forEach((target, operand) => {
        for (let index = 0; index < extent; index++) {
          target[start + index * stride] = from[operand][order[index]];
        }
      });
    }
    return out;
  },
  jvp(inputs, tangents, params) {
    if (tangents.every((t) => t === null)) {
      return { outputs: bind(sort, inputs, params), tangents: tangents.map(() => null) };
    }
    const { shape } = inputs[0];
    const positions = bindOne(iota, [], { shape, axis: params.axis, dtype: "int32" });
    const sorted = bind(sort, [...inputs, positions], params);
    const order = sorted[inputs.length];
    return {
      outputs: sorted.slice(0, inputs.length),
      tangents: tangents.map((t): Tangent => t && reorder(t, order, params.axis)),
    };
  },
  batch: (inputs, batched, { axis, keys }, size) => ({
    outputs: bind(
      sort,
      inputs.map((input, index) => (batched[index] ? input : repeatBatch(input, size))),
      { axis: axis + 1, keys },
    ),
    batched: inputs.map(() => true),
  }),
};

function compare(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1;
  if (Number.isNaN(b)) return -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Each lane of `x` along `axis` in its own order: `x` read at `order`. */
export function reorder(x: Array, order: Array, axis: number): Array {
  const last = x.ndim - 1;
  const permutation = [...range(x.ndim).filter((other) => other !== axis), axis];
  const lanes = permute(x, permutation);
  const indices = permute(order, permutation);
  const picked = bindOne(gather, [lanes, bindOne(reshape, [indices], { shape: [...indices.shape, 1] })], {
    batchDims: last,
    mode: "clip",
  });
  return permuteBack(picked, permutation);
}
