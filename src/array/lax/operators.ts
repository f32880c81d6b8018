// The parts of `lax` that are close to single primitives.
import { checked } from "../core/checked.js";
import { Array, type ArrayLike } from "../core/array.js";
import { align, asArray, asOperand, broadcastTo, promote, toDType } from "../core/coerce.js";
import { checkDType, isFloat, type DType } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import type { Primitive } from "../core/primitive.js";
import { checkShape, normalizeAxis, replaceAt, type Shape } from "../core/shape.js";
import { bind, bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import * as arithmetic from "../primitives/arithmetic.js";
import { broadcast } from "../primitives/broadcast.js";
import { bitcast, stopGradient as stopGradientPrimitive } from "../primitives/convert.js";
import { dot, type DotParams } from "../primitives/dot.js";
import {
  dynamicSlice as dynamicSlicePrimitive,
  dynamicUpdateSlice as dynamicUpdateSlicePrimitive,
} from "../primitives/dynamicSlice.js";
import { iota as iotaPrimitive } from "../primitives/iota.js";
import * as logic from "../primitives/logic.js";
import { select as selectPrimitive } from "../primitives/select.js";
import { sort as sortPrimitive } from "../primitives/sort.js";
import { divide, maximum, minimum, where } from "../np/elementwise.js";
import { sqrt } from "../np/realFunctions.js";
import { expandDims } from "../np/shaping.js";
import { argsort } from "../np/sorting.js";
import type { Binary } from "../np/operators.js";
import { takeAlongAxis } from "../np/taking.js";
import * as tree from "../tree/index.js";

export { erf, erfInv, logistic } from "../np/realFunctions.js";

function binary(primitive: Primitive): Binary {
  const name = `lax.${primitive.name}`;
  return checked(name, 2, (x, y) => bindOne(primitive, align(name, promote(name, [x, y])), {}));
}

/** The remainder with the sign of the dividend, as C's %. */
export const rem = binary(arithmetic.rem);
/** Division that truncates integers towards zero, as C's /. */
export const div = binary(arithmetic.div);
export const shiftLeft = binary(logic.shiftLeft);
export const shiftRightLogical = binary(logic.shiftRightLogical);
export const shiftRightArithmetic = binary(logic.shiftRightArithmetic);

/** 1 / √x. */
export const rsqrt = checked("lax.rsqrt", 1, (x: ArrayLike): Array => divide(1, sqrt(x)));

/** x limited to [min, max]. */
export const clamp = checked("lax.clamp", 3, (min: ArrayLike, x: ArrayLike, max: ArrayLike): Array => {
  const [low, array, high] = promote("lax.clamp", [min, x, max]);
  const isInside = array.greater(low).and(array.less(high));
  const isBelow = array.less(low).and(low.less(high));
  const isAbove = array.greater(high).and(low.equal(low));
  // As in JAX, the derivative at the bounds themselves is zero. NaN stays NaN, in the bounds too.
  const limited = stopGradient(minimum(maximum(array, low), high));
  return where(isInside, array, where(isBelow, low, where(isAbove, high, limited)));
});

/** The identity with a derivative of zero, on every array of a tree. */
export const stopGradient = checked(
  "lax.stopGradient",
  1,
  <T>(x: T): T =>
    tree.map(
      (leaf: unknown) => (leaf instanceof Array ? bindOne(stopGradientPrimitive, [leaf], {}) : leaf),
      x,
    ) as T,
);

/** onTrue where the predicate holds, onFalse elsewhere; both of one shape, the predicate of that shape or a scalar. */
export const select = checked(
  "lax.select",
  3,
  (predicate: ArrayLike, onTrue: ArrayLike, onFalse: ArrayLike): Array => {
    const [x, y] = promote("lax.select", [onTrue, onFalse]);
    return bindOne(selectPrimitive, [asArray("lax.select", predicate), x, y], {});
  },
);

/** 0, 1, 2, … of a dtype: `size` of them, or along one axis of a shape. */
export const iota = checked("lax.iota", 3, (dtype: DType, shape: number | Shape, axis = 0): Array => {
  checkDType("lax.iota", dtype);
  if (dtype === "bool") fail("lax.iota", "cannot count in bool; compare the result with something instead");
  const extents = checkShape("lax.iota", shape);
  return bindOne(iotaPrimitive, [], {
    dtype,
    shape: extents,
    axis: normalizeAxis("lax.iota", axis, extents.length),
  });
});

/** The operand's axes laid along the given axes of a larger shape. */
export const broadcastInDim = checked(
  "lax.broadcastInDim",
  3,
  (x: ArrayLike, shape: Shape, axes: readonly number[]): Array =>
    bindOne(broadcast, [asArray("lax.broadcastInDim", x)], {
      shape: checkShape("lax.broadcastInDim", shape),
      axes,
    }),
);

/** The same bits taken for another dtype of the same width. */
export const bitcastConvertType = checked(
  "lax.bitcastConvertType",
  2,
  (x: ArrayLike, dtype: DType): Array => {
    checkDType("lax.bitcastConvertType", dtype);
    return bindOne(bitcast, [asArray("lax.bitcastConvertType", x)], { dtype });
  },
);

export const convertElementType = checked("lax.convertElementType", 2, (x: ArrayLike, dtype: DType): Array =>
  asArray("lax.convertElementType", x).astype(dtype),
);

// ---- blocks at computed places ------------------------------------------------------------------------

/** Starts as int32 scalars, one per axis; negative ones count from the end. */
function startScalars(operation: string, x: Array, starts: Array | readonly ArrayLike[]): Array[] {
  const list = starts instanceof Array ? [...starts] : starts;
  if (list.length !== x.ndim) {
    fail(operation, `${showType(x.type)} needs ${x.ndim} start indices, got ${list.length}`);
  }
  return list.map((start, axis) => {
    const value = asOperand(operation, start);
    if (isFloat(value.dtype) || value.ndim > 0) {
      fail(operation, `start ${axis} must be an integer scalar, got ${showType(value.type)}`);
    }
    const extent = x.shape[axis];
    const index = toDType(operation, value, "int32");
    if (index.elements !== null) return index.elements[0] < 0 ? index.add(extent) : index;
    return bindOne(selectPrimitive, [index.less(0), index.add(extent), index], {});
  });
}

/** The block of `sizes` at `starts`, moved inside where it would stick out. */
export const dynamicSlice = checked(
  "lax.dynamicSlice",
  3,
  (x: Array, starts: Array | readonly ArrayLike[], sizes: Shape): Array => {
    return bindOne(dynamicSlicePrimitive, [x, ...startScalars("lax.dynamicSlice", x, starts)], {
      sizes: checkShape("lax.dynamicSlice", sizes),
    });
  },
);

/** x with the block at `starts` replaced, moved inside where it would stick out. */
export const dynamicUpdateSlice = checked(
  "lax.dynamicUpdateSlice",
  3,
  (x: Array, update: ArrayLike, starts: Array | readonly ArrayLike[]): Array => {
    const operation = "lax.dynamicUpdateSlice";
    return bindOne(
      dynamicUpdateSlicePrimitive,
      [x, toDType(operation, update, x.dtype), ...startScalars(operation, x, starts)],
      {},
    );
  },
);

const startsAlong = (x: Array, start: ArrayLike, axis: number): ArrayLike[] =>
  replaceAt<ArrayLike>(
    x.shape.map(() => 0),
    axis,
    start,
  );

export const dynamicSliceInDim = checked(
  "lax.dynamicSliceInDim",
  4,
  (x: Array, start: ArrayLike, size: number, axis = 0): Array => {
    const at = normalizeAxis("lax.dynamicSliceInDim", axis, x.ndim);
    return dynamicSlice(x, startsAlong(x, start, at), replaceAt(x.shape, at, size));
  },
);

export const dynamicIndexInDim = checked(
  "lax.dynamicIndexInDim",
  4,
  ["keepdims"],
  (
    x: Array,
    index: ArrayLike,
    axis = 0,
    { keepdims = true }: { readonly keepdims?: boolean } = {},
  ): Array => {
    const row = dynamicSliceInDim(x, index, 1, axis);
    return keepdims ? row : row.squeeze(axis);
  },
);

export const dynamicUpdateSliceInDim = checked(
  "lax.dynamicUpdateSliceInDim",
  4,
  (x: Array, update: Array, start: ArrayLike, axis: number): Array => {
    return dynamicUpdateSlice(
      x,
      update,
      startsAlong(x, start, normalizeAxis("lax.dynamicUpdateSliceInDim", axis, x.ndim)),
    );
  },
);

export const dynamicUpdateIndexInDim = checked(
  "lax.dynamicUpdateIndexInDim",
  4,
  (x: Array, update: ArrayLike, index: ArrayLike, axis: number): Array => {
    const at = normalizeAxis("lax.dynamicUpdateIndexInDim", axis, x.ndim);
    const row = replaceAt(x.shape, at, 1);
    const given = toDType("lax.dynamicUpdateIndexInDim", update, x.dtype);
    // An update without the axis gets it; what broadcasts to a row does.
    const block = given.ndim === x.ndim - 1 ? expandDims(given, at) : given;
    return dynamicUpdateSlice(
      x,
      broadcastTo("lax.dynamicUpdateIndexInDim", block, row),
      startsAlong(x, index, at),
    );
  },
);

// ---- products and sorting -----------------------------------------------------------------------------

/** Sums of products: contracted axes in pairs, batch axes in pairs; the result has batch, left, right axes. */
export const dotGeneral = checked(
  "lax.dotGeneral",
  3,
  ["contract", "batch"],
  (
    x: ArrayLike,
    y: ArrayLike,
    { contract, batch = [[], []] }: Pick<DotParams, "contract"> & Partial<DotParams>,
  ): Array => {
    const [a, b] = promote("lax.dotGeneral", [x, y]) as [Array, Array];
    const normalize = ([left, right]: DotParams["batch"]) =>
      [
        left.map((axis) => normalizeAxis("lax.dotGeneral", axis, a.ndim)),
        right.map((axis) => normalizeAxis("lax.dotGeneral", axis, b.ndim)),
      ] as const;
    return bindOne(dot, [a, b], { contract: normalize(contract), batch: normalize(batch) });
  },
);

interface SortOptions {
  /** The axis to sort along. Default the last. */
  readonly dimension?: number;
  /** How many of the operands, from the first, decide the order. Default 1. */
  readonly numKeys?: number;
}

interface Sort {
  (operand: Array, options?: SortOptions): Array;
  (operands: readonly Array[], options?: SortOptions): Array[];
}

const sortOperands = (
  operands: Array | readonly Array[],
  { dimension = -1, numKeys = 1 }: SortOptions = {},
): Array | Array[] => {
  const list = operands instanceof Array ? [operands] : operands;
  const [first] = list;
  if (first === undefined) fail("lax.sort", "needs at least one operand");
  const axis = normalizeAxis("lax.sort", dimension, first.ndim);
  const sorted = bind(sortPrimitive, list, { axis, keys: numKeys });
  return operands instanceof Array ? sorted[0] : sorted;
};

/** One array sorted, or several reordered alike by the first of them. Stable. */
export const sort = checked("lax.sort", 2, ["dimension", "numKeys"], sortOperands as Sort);

/** The k largest elements along an axis, the last by default, largest first, and their positions. */
export const topK = checked(
  "lax.topK",
  3,
  ["axis"],
  (x: Array, k: number, { axis = -1 }: { readonly axis?: number } = {}): [values: Array, indices: Array] => {
    const at = normalizeAxis("lax.topK", axis, x.ndim);
    const extent = x.shape[at];
    if (!Number.isInteger(k) || k < 0 || k > extent) fail("lax.topK", `k must be 0 to ${extent}, got ${k}`);
    const lead = x.shape.slice(0, at).map(() => ":");
    const order = argsort(x, at, { descending: true }).slice(...lead, `:${k}`);
    return [takeAlongAxis(x, order, at), order];
  },
);
