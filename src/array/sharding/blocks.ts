// Blocks of arrays in row-major storage: cutting them out of the whole and putting them back.
import { allocate, type DType, type TypedArray } from "../core/dtype.js";
import { sizeOf, stridesOf, type Shape } from "../core/shape.js";
import type { BlockIndex } from "./singleDeviceSharding.js";

/** Calls `visit` for each run of elements of a block that lie next to each other in the whole and in the block. */
function forEachRun(
  shape: Shape,
  index: BlockIndex,
  visit: (inWhole: number, inBlock: number, length: number) => void,
): void {
  const strides = stridesOf(shape);
  const extents = index.map(({ start, stop }) => stop - start);
  if (sizeOf(extents) === 0) return;
  // The dimensions behind this one are whole, so that rows along it are runs.
  let last = shape.length - 1;
  while (last > 0 && extents[last] === shape[last]) last--;
  const length = sizeOf(extents.slice(Math.max(last, 0)));
  let inBlock = 0;
  const visitFrom = (axis: number, offset: number): void => {
    if (axis >= last) {
      visit(offset + (axis < shape.length ? index[axis].start * strides[axis] : 0), inBlock, length);
      inBlock += length;
      return;
    }
    for (let at = index[axis].start; at < index[axis].stop; at++) {
      visitFrom(axis + 1, offset + at * strides[axis]);
    }
  };
  visitFrom(0, 0);
}

/** A copy of one block of an array's elements. */
export function cutBlock(whole: TypedArray, dtype: DType, shape: Shape, index: BlockIndex): TypedArray {
  const block = allocate(dtype, sizeOf(index.map(({ start, stop }) => stop - start)));
  forEachRun(shape, index, (inWhole, inBlock, length) =>
    block.set(whole.subarray(inWhole, inWhole + length), inBlock),
  );
  return block;
}

/** Writes one block into the whole. */
export function pasteBlock(whole: TypedArray, shape: Shape, index: BlockIndex, block: TypedArray): void {
  forEachRun(shape, index, (inWhole, inBlock, length) =>
    whole.set(block.subarray(inBlock, inBlock + length), inWhole),
  );
}

/** For each place the places before it that have the same block, counted: 0 for the first that has it. */
export function replicaIds(indices: readonly BlockIndex[]): number[] {
  const counts = new Map<string, number>();
  return indices.map((index) => {
    const key = index.map(({ start }) => start).join();
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  });
}
