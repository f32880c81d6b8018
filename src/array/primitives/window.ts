// Overlapping windows along an axis, and their sum back: what convolution and pooling are made of.
import { allocate } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import type { Primitive } from "../core/primitive.js";
import { sizeOf, stridesOf } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType } from "../core/type.js";
import { linearPrimitive } from "./linear.js";
import { forEachStrided, gatherStrided } from "./strided.js";

export interface WindowParams {
  /** The axis that is cut into windows; the windows' own axis follows it. */
  readonly axis: number;
  /** Elements in a window. */
  readonly size: number;
  /** Distance between the first elements of neighbouring windows. */
  readonly stride: number;
  /** Distance between neighbouring elements of a window. */
  readonly dilation: number;
}

/** `[…, n, …]` to `[…, windows, size, …]`: element (w, k) is the input at w·stride + k·dilation. */
export const window: Primitive<WindowParams> = linearPrimitive({
  name: "window",
  infer([x], { axis, size, stride, dilation }) {
    const count = Math.floor((x.shape[axis] - (size - 1) * dilation - 1) / stride) + 1;
    if (count < 0) fail("window", `no window of ${size} elements fits along axis ${axis} of ${showType(x)}`);
    return [arrayType([...x.shape.slice(0, axis), count, size, ...x.shape.slice(axis + 1)], x.dtype, x.weak)];
  },
  evaluate([x], params, [output]) {
    const strides = windowStrides(x.shape, params);
    return [gatherStrided(x.elements, x.dtype, output.shape, strides)];
  },
  transpose: (ct, _known, [type], params) => [
    bindOne(windowSum, [ct], { ...params, extent: type.shape[params.axis] }),
  ],
  batch: (inputs, _batched, params) => ({
    outputs: [bindOne(window, inputs, { ...params, axis: params.axis + 1 })],
    batched: [true],
  }),
});

function windowStrides(shape: readonly number[], { axis, stride, dilation }: WindowParams): number[] {
  return stridesOf(shape).flatMap((step, at) => (at === axis ? [step * stride, step * dilation] : [step]));
}

/** The transpose of `window`: every element of every window added to where it came from. */
export const windowSum: Primitive<WindowParams & { readonly extent: number }> = linearPrimitive({
  name: "windowSum",
  infer([x], { axis, extent }) {
    return [arrayType([...x.shape.slice(0, axis), extent, ...x.shape.slice(axis + 2)], x.dtype, x.weak)];
  },
  evaluate([x], params, [output]) {
    const { shape, dtype } = output;
    const out = allocate(dtype, sizeOf(shape));
    const from = x.elements;
    forEachStrided(x.shape, windowStrides(shape, params), 0, (target, at) => {
      out[target] = out[target] + from[at];
    });
    return [out];
  },
  transpose: (ct, _known, _types, { extent: _, ...params }) => [bindOne(window, [ct], params)],
  batch: (inputs, _batched, params) => ({
    outputs: [bindOne(windowSum, inputs, { ...params, axis: params.axis + 1 })],
    batched: [true],
  }),
});
