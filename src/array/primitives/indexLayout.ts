// How operands and computed indices go together, for reading and for writing.
import type { TypedArray } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { sizeOf, stridesOf, type Shape } from "../core/shape.js";
import { showType, type ArrayType } from "../core/type.js";

export interface GatherParams {
  /** How many leading axes operand and indices have in common. */
  readonly batchDims: number;
  /** What an index outside the operand means: the nearest one inside, or nothing (reads zero, writes none). */
  readonly mode: "clip" | "drop";
}

/** How operand [batch, indexed…, rest] and indices [batch, positions…, K] go together. */
export interface IndexLayout {
  readonly batch: Shape;
  readonly indexed: Shape;
  readonly rest: Shape;
  readonly positions: Shape;
}

/** Works out the layout, refusing what does not fit. */
export function indexLayout(
  name: string,
  operand: ArrayType,
  indices: ArrayType,
  { batchDims }: GatherParams,
): IndexLayout {
  const count = indices.shape[indices.shape.length - 1] ?? 0;
  const batch = operand.shape.slice(0, batchDims);
  if (
    indices.dtype !== "int32" ||
    indices.shape.length <= batchDims ||
    batchDims + count > operand.shape.length ||
    batch.some((extent, axis) => indices.shape[axis] !== extent)
  ) {
    fail(
      name,
      `indices ${showType(indices)} do not index ${showType(operand)} with ${batchDims} leading axes in common; ` +
        `they must be int32 with one index per indexed axis in the last axis`,
    );
  }
  return {
    batch,
    indexed: operand.shape.slice(batchDims, batchDims + count),
    rest: operand.shape.slice(batchDims + count),
    positions: indices.shape.slice(batchDims, -1),
  };
}

/** Calls `visit(row of the operand, row of the result)` for every index; -1 for one that is dropped. */
export function forEachIndex(
  { batch, indexed, positions }: IndexLayout,
  indices: TypedArray,
  mode: GatherParams["mode"],
  visit: (operandRow: number, row: number) => void,
): void {
  const strides = stridesOf(indexed);
  const perBatch = sizeOf(positions);
  const rows = sizeOf(batch) * perBatch;
  for (let row = 0; row < rows; row++) {
    let target = Math.floor(row / perBatch) * sizeOf(indexed);
    let inside = true;
    for (let axis = 0; axis < indexed.length; axis++) {
      const index = indices[row * indexed.length + axis];
      const last = indexed[axis] - 1;
      if (index < 0 || index > last) inside = false;
      target += Math.min(Math.max(index, 0), last) * strides[axis];
    }
    visit(inside || mode === "clip" ? target : -1, row);
  }
}
