// The same elements in another arrangement: reshape, transpose, flip.
import type { Array } from "../core/array.js";
import { fail } from "../core/errors.js";
import type { Primitive } from "../core/primitive.js";
import {
  invertPermutation,
  range,
  sameShape,
  showShape,
  sizeOf,
  stridesOf,
  type Shape,
} from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType } from "../core/type.js";
import { linearPrimitive } from "./linear.js";
import { gatherStrided } from "./strided.js";

export const reshape: Primitive<{ readonly shape: Shape }> = linearPrimitive({
  name: "reshape",
  infer([x], { shape }) {
    if (sizeOf(x.shape) !== sizeOf(shape)) {
      fail(
        "reshape",
        `cannot arrange the ${sizeOf(x.shape)} elements of ${showType(x)} as ${showShape(shape)}`,
      );
    }
    return [arrayType(shape, x.dtype, x.weak)];
  },
  evaluate: ([x]) => [x.elements],
  transpose: (ct, _known, [type]) => [bindOne(reshape, [ct], { shape: type.shape })],
  batch: (inputs, _batched, { shape }, size) => ({
    outputs: [bindOne(reshape, inputs, { shape: [size, ...shape] })],
    batched: [true],
  }),
});

/** Output axis k is input axis `permutation[k]`. */
export const transpose: Primitive<{ readonly permutation: readonly number[] }> = linearPrimitive({
  name: "transpose",
  infer([x], { permutation }) {
    if (
      !sameShape(
        [...permutation].sort((a, b) => a - b),
        range(x.shape.length),
      )
    ) {
      fail(
        "transpose",
        `${showShape(permutation)} is not an order of the ${x.shape.length} axes of ${showType(x)}`,
      );
    }
    return [
      arrayType(
        permutation.map((axis) => x.shape[axis]),
        x.dtype,
        x.weak,
      ),
    ];
  },
  evaluate([x], { permutation }, [output]) {
    const strides = stridesOf(x.shape);
    return [
      gatherStrided(
        x.elements,
        x.dtype,
        output.shape,
        permutation.map((axis) => strides[axis]),
      ),
    ];
  },
  transpose: (ct, _known, _types, { permutation }) => [permuteBack(ct, permutation)],
  batch: (inputs, _batched, { permutation }) => ({
    outputs: [bindOne(transpose, inputs, { permutation: [0, ...permutation.map((axis) => axis + 1)] })],
    batched: [true],
  }),
});

/** The axes of `x` in another order; x itself if that is the order it has. */
export const permute = (x: Array, permutation: readonly number[]): Array =>
  permutation.every((axis, at) => axis === at) ? x : bindOne(transpose, [x], { permutation });

/** Undoes `permute`. */
export const permuteBack = (x: Array, permutation: readonly number[]): Array =>
  permute(x, invertPermutation(permutation));

/** The order along `axes` reversed. */
export const flip: Primitive<{ readonly axes: readonly number[] }> = linearPrimitive({
  name: "flip",
  infer: ([x]) => [x],
  evaluate([x], { axes }) {
    const strides = stridesOf(x.shape);
    let offset = 0;
    for (const axis of axes) {
      offset += strides[axis] * (x.shape[axis] - 1);
      strides[axis] = -strides[axis];
    }
    return [gatherStrided(x.elements, x.dtype, x.shape, strides, offset)];
  },
  transpose: (ct, _known, _types, params) => [bindOne(flip, [ct], params)],
  batch: (inputs, _batched, { axes }) => ({
    outputs: [bindOne(flip, inputs, { axes: axes.map((axis) => axis + 1) })],
    batched: [true],
  }),
});
