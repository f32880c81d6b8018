// Repeating an array along new or unit axes.
import type { Array } from "../core/array.js";
import { fail } from "../core/errors.js";
import type { Primitive } from "../core/primitive.js";
import { range, showShape, stridesOf, without, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType } from "../core/type.js";
import { gatherStrided } from "./strided.js";

export interface BroadcastParams {
  readonly shape: Shape;
  /** Where each axis of the operand goes; ascending. Axes of extent 1 may grow. */
  readonly axes: readonly number[];
}

export const broadcast: Primitive<BroadcastParams> = {
  name: "broadcast",
  infer([x], { shape, axes }) {
    const fits =
      axes.length === x.shape.length &&
      axes.every((axis, index) => index === 0 || axis > axes[index - 1]) &&
      axes.every((axis, index) => x.shape[index] === 1 || x.shape[index] === shape[axis]);
    if (!fits) {
      fail(
        "broadcast",
        `cannot lay ${showType(x)} along axes ${showShape(axes)} of shape ${showShape(shape)}`,
      );
    }
    return [arrayType(shape, x.dtype, x.weak)];
  },
  evaluate([x], { shape, axes }) {
    const strides = shape.map(() => 0);
    stridesOf(x.shape).forEach((stride, index) => {
      if (x.shape[index] !== 1) strides[axes[index]] = stride;
    });
    return [gatherStrided(x.elements, x.dtype, shape, strides)];
  },
  // Written out and with methods: the primitives that this would share rules with are built on this one.
  jvp: ([x], [t], params) => ({
    outputs: [bindOne(broadcast, [x], params)],
    tangents: [t && bindOne(broadcast, [t], params)],
  }),
  transpose([ct], _known, [{ shape: inner }], { shape, axes }) {
    const grown = axes.filter((axis, index) => inner[index] === 1 && shape[axis] !== 1);
    const summed = [...without(range(shape.length), axes), ...grown].sort((a, b) => a - b);
    return [(ct as Array).sum(summed).reshape(inner)];
  },
  batch: (inputs, _batched, { shape, axes }, size) => ({
    outputs: [
      bindOne(broadcast, inputs, { shape: [size, ...shape], axes: [0, ...axes.map((axis) => axis + 1)] }),
    ],
    batched: [true],
  }),
};
