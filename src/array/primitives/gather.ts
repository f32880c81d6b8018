// Reading at computed indices.
import type { Array } from "../core/array.js";
import { allocate, type TypedArray } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import type { Primitive } from "../core/primitive.js";
import { range, sizeOf, stridesOf, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType, type ArrayType } from "../core/type.js";
import { linearPrimitive, repeatBatch, zeros } from "./linear.js";
import { permute } from "./reshape.js";
import { scatter } from "./scatter.js";

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

/** `gather(operand [B…, D₁…D_K, rest…], indices [B…, I…, K])` is [B…, I…, rest…]. */
export const gather: Primitive<GatherParams> = linearPrimitive({
  name: "gather",
  infer([x, indices], params) {
    const { batch, positions, rest, indexed } = indexLayout("gather", x, indices, params);
    if (params.mode === "clip" && indexed.includes(0) && sizeOf(positions) > 0) {
      fail("gather", `cannot read from ${showType(x)}, which has no elements along an indexed axis`);
    }
    return [arrayType([...batch, ...positions, ...rest], x.dtype, x.weak)];
  },
  evaluate([x, indices], params, [output]) {
    const layout = indexLayout("gather", x.type, indices.type, params);
    const from = x.elements;
    const out = allocate(x.dtype, sizeOf(output.shape));
    const length = sizeOf(layout.rest);
    forEachIndex(layout, indices.elements, params.mode, (source, row) => {
      if (source >= 0) out.set(from.subarray(source * length, (source + 1) * length), row * length);
    });
    return [out];
  },
  transpose: (ct, [, indices], [type], params) => [
    bindOne(scatter, [zeros(type), ct, indices as Array], { ...params, operation: "add" }),
    null,
  ],
  batch([x, at], [operandBatched, indicesBatched], params, size) {
    const { batchDims } = params;
    if (operandBatched && indicesBatched) {
      return {
        outputs: [bindOne(gather, [x, at], { ...params, batchDims: batchDims + 1 })],
        batched: [true],
      };
    }
    if (batchDims > 0) {
      const both = [operandBatched ? x : repeatBatch(x, size), indicesBatched ? at : repeatBatch(at, size)];
      return { outputs: [bindOne(gather, both, { ...params, batchDims: batchDims + 1 })], batched: [true] };
    }
    if (indicesBatched) return { outputs: [bindOne(gather, [x, at], params)], batched: [true] };
    // Only the operand has a batch: it rides along behind the indexed axes.
    const count = at.shape[at.ndim - 1];
    const behind = [...range(count, 1), 0, ...range(x.ndim - count - 1, count + 1)];
    const picked = bindOne(gather, [permute(x, behind), at], params);
    const axis = at.ndim - 1;
    const front = [axis, ...range(picked.ndim).filter((other) => other !== axis)];
    return { outputs: [permute(picked, front)], batched: [true] };
  },
});
