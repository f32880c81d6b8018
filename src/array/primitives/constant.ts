// An array written into a Program: what rules of derivatives refer to from outside of it.
import type { Concrete } from "../core/array.js";
import type { Primitive } from "../core/primitive.js";

export interface ConstantParams {
  readonly value: Concrete;
}

/** The array among its parameters. `jit` makes it an input of the compiled program. */
export const constantArray: Primitive<ConstantParams> = {
  name: "constant",
  infer: (_inputs, { value }) => [value.type],
  evaluate: (_inputs, { value }) => [value.elements],
  jvp: (_inputs, _tangents, { value }) => ({ outputs: [value], tangents: [null] }),
  batch: (_inputs, _batched, { value }) => ({ outputs: [value], batched: [false] }),
};
