// Counting along an axis: the source of every index computed inside a program.
import { allocate, type DType } from "../core/dtype.js";
import type { Primitive } from "../core/primitive.js";
import { sizeOf, stridesOf, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType } from "../core/type.js";

export interface IotaParams {
  readonly shape: Shape;
  readonly axis: number;
  readonly dtype: DType;
}

/** An array whose elements are their own index along `axis`. */
export const iota: Primitive<IotaParams> = {
  name: "iota",
  infer: (_inputs, { shape, dtype }) => [arrayType(shape, dtype)],
  evaluate(_inputs, { shape, axis, dtype }) {
    const out = allocate(dtype, sizeOf(shape));
    const stride = stridesOf(shape)[axis];
    const extent = shape[axis];
    for (let at = 0; at < out.length; at++) out[at] = Math.floor(at / stride) % extent;
    return [out];
  },
  jvp: (inputs, _tangents, params) => ({ outputs: [bindOne(iota, inputs, params)], tangents: [null] }),
  batch: (inputs, _batched, params) => ({ outputs: [bindOne(iota, inputs, params)], batched: [false] }),
};
