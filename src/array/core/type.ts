// What is known of an array while tracing: its shape and dtype, not its elements.
import type { DType } from "./dtype.js";
import { showShape, type Shape } from "./shape.js";

/** The static type of an array. */
export interface ArrayType {
  readonly shape: Shape;
  readonly dtype: DType;
  /** True when the dtype came from plain numbers alone, so that it gives way in promotion. */
  readonly weak: boolean;
}

export const arrayType = (shape: Shape, dtype: DType, weak = false): ArrayType => ({ shape, dtype, weak });

/** `float32[3,4]`, as listings and errors write it. */
export const showType = (type: ArrayType): string =>
  type.shape.length === 0 ? type.dtype : `${type.dtype}${showShape(type.shape)}`;
