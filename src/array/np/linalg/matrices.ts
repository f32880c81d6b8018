// What linear algebra takes: stacks of matrices, all of whose leading axes are batches.
import type { Array, ArrayLike } from "../../core/array.js";
import { promoteToFloat, broadcastTo } from "../../core/coerce.js";
import { fail } from "../../core/errors.js";
import { broadcastShapes, sizeOf } from "../../core/shape.js";
import { showType } from "../../core/type.js";
import { vmap } from "../../transforms/vmap.js";

/** Operands as floats of one dtype, each a matrix or a stack of matrices. */
export function asMatrices(operation: string, ...given: readonly ArrayLike[]): Array[] {
  const arrays = promoteToFloat(operation, given);
  for (const { ndim, type } of arrays) {
    if (ndim < 2) fail(operation, `needs a matrix or a stack of matrices, got ${showType(type)}`);
  }
  return arrays;
}

/** Refuses matrices that are not square. */
export function checkSquare(operation: string, { shape, type }: Array): void {
  if (shape.at(-1) !== shape.at(-2)) fail(operation, `needs square matrices, got ${showType(type)}`);
}

/** A function of matrices applied to stacks of them, whose leading axes broadcast. */
export function overStacks<R extends Array | readonly Array[]>(
  operation: string,
  matrices: readonly Array[],
  f: (...matrices: Array[]) => R,
): R {
  const lead = broadcastShapes(operation, ...matrices.map(({ shape }) => shape.slice(0, -2)));
  if (lead.length === 0) return f(...matrices);
  const flat = matrices.map((matrix) => {
    if (matrix.ndim === 2) return matrix;
    const own = matrix.shape.slice(-2);
    return broadcastTo(operation, matrix, [...lead, ...own]).reshape([sizeOf(lead), ...own]);
  });
  const results = vmap(
    f,
    flat.map(({ ndim }) => (ndim === 2 ? null : 0)),
  )(...flat) as Array | readonly Array[];
  const unfold = (result: Array): Array => result.reshape([...lead, ...result.shape.slice(1)]);
  return (globalThis.Array.isArray(results) ? results.map(unfold) : unfold(results as Array)) as R;
}
