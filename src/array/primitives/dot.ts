// The general product: sums of products over some axes, side by side over others.
import type { Array, Concrete } from "../core/array.js";
import { allocate, isFloat, type TypedArray } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import type { Primitive } from "../core/primitive.js";
import { range, sizeOf, stridesOf, without, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType, type ArrayType } from "../core/type.js";
import { addTangents, checkArity, checkDType, numeric } from "./elementwise.js";
import { transposeOne } from "./linear.js";
import { permute, permuteBack } from "./reshape.js";
import { gatherStrided } from "./strided.js";

export interface DotParams {
  /** The axes of each operand that are summed over, in pairs. */
  readonly contract: readonly [left: readonly number[], right: readonly number[]];
  /** The axes of each operand that run side by side, in pairs. */
  readonly batch: readonly [left: readonly number[], right: readonly number[]];
}

const extents = (shape: Shape, axes: readonly number[]): number[] => axes.map((axis) => shape[axis]);

/** The axes of an operand that are neither contracted nor batched. */
const free = (ndim: number, { contract, batch }: DotParams, side: 0 | 1): number[] =>
  without(range(ndim), [...contract[side], ...batch[side]]);

/** The result has the batch axes, then the left operand's free axes, then the right one's. */
export const dot: Primitive<DotParams> = {
  name: "dot",
  infer(inputs, params) {
    checkArity("dot", inputs, 2);
    const [x, y] = inputs as [ArrayType, ArrayType];
    const dtype = checkDType("dot", inputs, numeric);
    const { contract, batch } = params;
    for (const [left, right] of [contract, batch]) {
      const fits =
        left.length === right.length &&
        new Set(left).size === left.length &&
        new Set(right).size === right.length &&
        extents(x.shape, left).every((n, at) => n === y.shape[right[at]]);
      if (!fits) {
        fail(
          "dot",
          `axes [${left.join(",")}] of ${showType(x)} do not match axes [${right.join(",")}] of ${showType(y)}`,
        );
      }
    }
    const shape = [
      ...extents(x.shape, batch[0]),
      ...extents(x.shape, free(x.shape.length, params, 0)),
      ...extents(y.shape, free(y.shape.length, params, 1)),
    ];
    return [arrayType(shape, dtype, x.weak && y.weak)];
  },
  evaluate([x, y], params, [output]) {
    const { contract, batch } = params;
    const freeX = free(x.ndim, params, 0);
    const freeY = free(y.ndim, params, 1);
    const a = arrange(x, [...batch[0], ...freeX, ...contract[0]]);
    const b = arrange(y, [...batch[1], ...freeY, ...contract[1]]);
    const [rows, columns, depth] = [
      extents(x.shape, freeX),
      extents(y.shape, freeY),
      extents(x.shape, contract[0]),
    ].map(sizeOf) as [number, number, number];
    const { dtype, shape } = output;
    const out = allocate(dtype, sizeOf(shape));
    const multiply = isFloat(dtype) ? null : Math.imul;
    for (let at = 0; at < out.length; at++) {
      const column = at % columns;
      const row = Math.floor(at / columns) % rows;
      const side = Math.floor(at / columns / rows);
      let sum = 0;
      let i = (side * rows + row) * depth;
      let j = (side * columns + column) * depth;
      if (multiply === null) for (let k = 0; k < depth; k++) sum += a[i++] * b[j++];
      else for (let k = 0; k < depth; k++) sum = (sum + multiply(a[i++], b[j++])) | 0;
      out[at] = sum;
    }
    return [out];
  },
  jvp([x, y], [tx, ty], params) {
    const output = bindOne(dot, [x, y], params);
    const fromX = tx ? bindOne(dot, [tx, y], params) : null;
    const fromY = ty ? bindOne(dot, [x, ty], params) : null;
    return { outputs: [output], tangents: [addTangents(fromX, fromY)] };
  },
  transpose: transposeOne((ct, [x, y], types, params) => [
    y ? transposeSide(ct, y, types[0], params, 0) : null,
    x ? transposeSide(ct, x, types[1], params, 1) : null,
  ]),
  batch([x, y], [xBatched, yBatched], params) {
    const { contract, batch } = params;
    const shift = (axes: readonly number[], batched: boolean | undefined) =>
      batched ? axes.map((axis) => axis + 1) : axes;
    const moved: DotParams = {
      contract: [shift(contract[0], xBatched), shift(contract[1], yBatched)],
      batch: [shift(batch[0], xBatched), shift(batch[1], yBatched)],
    };
    const operands = [x, y];
    if (xBatched && yBatched) {
      const sides = {
        ...moved,
        batch: [
          [0, ...moved.batch[0]],
          [0, ...moved.batch[1]],
        ] as const,
      };
      return { outputs: [bindOne(dot, operands, sides)], batched: [true] };
    }
    // The batch axis is the first free axis of its operand; bring it to the front of the result.
    const result = bindOne(dot, operands, moved);
    const leading = batch[0].length + (xBatched ? 0 : x.ndim - batch[0].length - contract[0].length);
    const front = [leading, ...without(range(result.ndim), [leading])];
    return { outputs: [permute(result, front)], batched: [true] };
  },
};

/** Storage with the axes in the given order. */
function arrange(x: Concrete, order: readonly number[]): TypedArray {
  if (order.every((axis, at) => axis === at)) return x.elements;
  const strides = stridesOf(x.shape);
  return gatherStrided(
    x.elements,
    x.dtype,
    extents(x.shape, order),
    order.map((axis) => strides[axis]),
  );
}

/** The cotangent of one operand: the result's cotangent times the other operand, over the other's free axes. */
function transposeSide(ct: Array, other: Array, type: ArrayType, params: DotParams, side: 0 | 1): Array {
  const away = side === 0 ? 1 : 0;
  const { contract, batch } = params;
  const batches = batch[0].length;
  const mine = free(type.shape.length, params, side);
  const others = free(other.ndim, params, away);
  const othersInResult = range(others.length, side === 0 ? batches + mine.length : batches);
  // The contracted axes come in the order they have in `other`.
  const contracted = [...range(contract[away].length)]
    .sort((a, b) => contract[away][a] - contract[away][b])
    .map((pair) => contract[side][pair]);
  // The operands in the order that brings the result's axes into theirs, for matrices without a transpose.
  if (side === 0) {
    const product = bindOne(dot, [ct, other], {
      contract: [othersInResult, others],
      batch: [range(batches), batch[away]],
    });
    return permuteBack(product, [...batch[side], ...mine, ...contracted]);
  }
  const product = bindOne(dot, [other, ct], {
    contract: [others, othersInResult],
    batch: [batch[away], range(batches)],
  });
  return permuteBack(product, [...batch[side], ...contracted, ...mine]);
}
