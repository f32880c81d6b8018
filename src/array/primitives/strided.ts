// Copying through strides: the one loop behind every primitive that only moves elements.
import { allocate, type DType, type TypedArray } from "../core/dtype.js";
import { sizeOf, type Shape } from "../core/shape.js";

/**
 * A row-major array of `shape` whose element at (i₀, i₁, …) is `from[offset + Σ iₖ · stridesₖ]`. Broadcasts,
 * transposes, slices and flips are all of this form.
 */
export function gatherStrided(
  from: TypedArray,
  dtype: DType,
  shape: Shape,
  strides: readonly number[],
  offset = 0,
): TypedArray {
  const out = allocate(dtype, sizeOf(shape));
  forEachStrided(shape, strides, offset, (source, at) => {
    out[at] = from[source];
  });
  return out;
}

/** Calls `visit(Σ iₖ · stridesₖ + offset, position)` for every index of `shape` in row-major order. */
export function forEachStrided(
  shape: Shape,
  strides: readonly number[],
  offset: number,
  visit: (strided: number, position: number) => void,
): void {
  const ndim = shape.length;
  const size = sizeOf(shape);
  const index = new Int32Array(ndim);
  let strided = offset;
  for (let position = 0; position < size; position++) {
    visit(strided, position);
    for (let axis = ndim - 1; axis >= 0; axis--) {
      strided += strides[axis];
      if (++index[axis] < shape[axis]) break;
      strided -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}
