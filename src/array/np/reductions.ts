// NumPy's reductions.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { align, asArray, asBool, asFloat, broadcastTo, toDType } from "../core/coerce.js";
import { checkDType, isFloat, limitOf, type DType } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import type { InDType, KeepDims, Masked, Reduction, Spread } from "../core/methods.js";
import type { Primitive } from "../core/primitive.js";
import {
  normalizeAxes,
  normalizeAxis,
  range,
  sameShape,
  sizeOf,
  without,
  type Axes,
  type Shape,
} from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import { div } from "../primitives/arithmetic.js";
import * as primitives from "../primitives/reduce.js";
import { isnan, maximum, minimum, where } from "./elementwise.js";
import type { Binary } from "./operators.js";
import { sqrt } from "./realFunctions.js";
import { slice } from "./indexing.js";
import { concatenate } from "./joining.js";
import { expandDims, moveaxis, reshape } from "./shaping.js";

/** The elements that count; the others are replaced by what leaves a result as it is. */
function masked(operation: string, array: Array, mask: ArrayLike | undefined, neutral: ArrayLike): Array {
  return mask === undefined ? array : where(wholeMask(operation, array, mask), array, neutral);
}

/** A mask in the shape of the array it belongs to. */
function wholeMask(operation: string, array: Array, mask: ArrayLike): Array {
  const given = asArray(operation, mask);
  if (given.dtype !== "bool") {
    fail(operation, `where must be a bool array, got ${showType(given.type)}; compare with something`);
  }
  return broadcastTo(operation, given, array.shape);
}

function reduce(
  operation: string,
  primitive: Primitive<primitives.ReduceParams>,
  array: Array,
  axis: Axes | undefined,
  keepdims: boolean,
): Array {
  const axes = normalizeAxes(operation, axis, array.ndim);
  const reduced = axes.length === 0 ? array : bindOne(primitive, [array], { axes });
  return keepdims ? expandDims(reduced, axes) : reduced;
}

/** What a reduction starts from: a scalar in the dtype of the elements. */
function startScalar(operation: string, initial: ArrayLike, { dtype }: Array): Array {
  const start = toDType(operation, initial, dtype);
  return start.ndim === 0 ? start : fail(operation, `initial must be a scalar, got ${showType(start.type)}`);
}

/** What sums are taken of: bool as counts, uint8 as uint32, which does not run over so soon; or the dtype asked for. */
const countable = (operation: string, x: ArrayLike, dtype: DType | undefined): Array => {
  const array = asArray(operation, x);
  if (dtype !== undefined) return inNumbers(operation, array, dtype);
  return array.dtype === "bool"
    ? array.astype("int32")
    : array.dtype === "uint8"
      ? array.astype("uint32")
      : array;
};

/** An array in a dtype that was asked for, which must be one of numbers. */
function inNumbers(operation: string, array: Array, dtype: DType): Array {
  checkDType(operation, dtype);
  if (dtype === "bool") fail(operation, `cannot compute in bool; compare the result with something instead`);
  return array.astype(dtype);
}

/** An array as floats, of the dtype asked for if one was. */
function inFloats(operation: string, x: ArrayLike, dtype: DType | undefined): Array {
  if (dtype === undefined) return asFloat(operation, x);
  const array = inNumbers(operation, asArray(operation, x), dtype);
  return isFloat(dtype) ? array : fail(operation, `the dtype must be float32 or float64, got ${dtype}`);
}

/** The sum over axes; of bool, how many are true. */
export const sum = checked(
  "np.sum",
  3,
  ["keepdims", "where", "initial", "dtype"],
  (
    x: ArrayLike,
    axis?: Axes,
    { keepdims = false, where: mask, initial, dtype }: Reduction & InDType = {},
  ): Array => {
    const array = masked("sum", countable("sum", x, dtype), mask, 0);
    const total = reduce("sum", primitives.reduceSum, array, axis, keepdims);
    return initial === undefined ? total : total.add(startScalar("sum", initial, array));
  },
);

export const mean = checked(
  "np.mean",
  3,
  ["keepdims", "where", "dtype"],
  (x: ArrayLike, axis?: Axes, { dtype, ...options }: Masked & InDType = {}): Array => {
    const isWhole = dtype !== undefined && !isFloat(dtype);
    const array = isWhole ? inNumbers("mean", asArray("mean", x), dtype) : inFloats("mean", x, dtype);
    const axes = normalizeAxes("mean", axis, array.ndim);
    const count = countOf("mean", array, axes, options);
    if (!isWhole) return sum(array, axes, options).div(count);
    return divideWhole(sum(array, axes, { ...options, dtype }), toDType("mean", count, dtype));
  },
);

/** A quotient of integers cut towards zero. */
const divideWhole = (total: Array, count: Array): Array =>
  bindOne(div, [...align("mean", [total, count])], {});

/** How many elements come together in each element of a reduction. */
function countOf(
  operation: string,
  array: Array,
  axes: readonly number[],
  { where: mask, keepdims = false }: Masked,
): Array | number {
  if (mask === undefined) return sizeOf(axes.map((at) => array.shape[at]));
  return sum(wholeMask(operation, array, mask), axes, { keepdims });
}

/** The mean squared distance from the mean; NaN where `ddof` leaves no count to divide by. */
export const var_ = checked(
  "np.var",
  3,
  ["keepdims", "where", "ddof", "dtype"],
  (x: ArrayLike, axis?: Axes, { ddof = 0, dtype, ...options }: Spread = {}): Array => {
    const array = inFloats("var", x, dtype);
    const axes = normalizeAxes("var", axis, array.ndim);
    const count = countOf("var", array, axes, options);
    const centred = array.sub(mean(array, axes, { ...options, keepdims: true }));
    const total = sum(centred.mul(centred), axes, options);
    if (typeof count === "number") return total.div(count > ddof ? count - ddof : NaN);
    return total.div(where(count.greater(ddof), count.sub(ddof), NaN));
  },
);

/** The square root of the variance. */
export const std = checked(
  "np.std",
  3,
  ["keepdims", "where", "ddof", "dtype"],
  (x: ArrayLike, axis?: Axes, options?: Spread): Array => sqrt(var_(x, axis, options)),
);

const extremum = (
  operation: string,
  primitive: Primitive<primitives.ReduceParams>,
  combine: Binary,
  least: -1 | 1,
) =>
  checked(
    `np.${operation}`,
    3,
    ["keepdims", "where", "initial"],
    (x: ArrayLike, axis?: Axes, { keepdims = false, where: mask, initial }: Reduction = {}): Array => {
      const given = asArray(operation, x);
      const axes = normalizeAxes(operation, axis, given.ndim);
      const empty = axes.find((at) => given.shape[at] === 0);
      if (initial === undefined) {
        if (empty !== undefined) {
          fail(
            operation,
            `${showType(given.type)} has no elements along axis ${empty}; give an initial value`,
          );
        }
        if (mask !== undefined) {
          fail(operation, "with where it needs an initial value, for when no element counts");
        }
        return reduce(operation, primitive, given, axes, keepdims);
      }
      const start = startScalar(operation, initial, given);
      if (empty !== undefined) return broadcastTo(operation, start, shapeOver(given.shape, axes, keepdims));
      const array = masked(operation, given, mask, constant(limitOf(given.dtype, least), given.dtype));
      return combine(reduce(operation, primitive, array, axes, keepdims), start);
    },
  );

/** The shape of a reduction over axes. */
const shapeOver = (shape: Shape, axes: readonly number[], keepdims: boolean): Shape =>
  keepdims ? shape.map((extent, at) => (axes.includes(at) ? 1 : extent)) : without(shape, axes);

export const max = extremum("max", primitives.reduceMax, maximum, -1);
export const min = extremum("min", primitives.reduceMin, minimum, 1);

/** The product over axes, by halving, so that its derivative is right even where elements are zero. */
export const prod = checked(
  "np.prod",
  3,
  ["keepdims", "where", "initial", "dtype"],
  (
    x: ArrayLike,
    axis?: Axes,
    { keepdims = false, where: mask, initial, dtype }: Reduction & InDType = {},
  ): Array => {
    const array = masked("prod", countable("prod", x, dtype), mask, 1);
    const axes = normalizeAxes("prod", axis, array.ndim);
    const factors = sizeOf(axes.map((at) => array.shape[at]));
    let rest = reshape(moveaxis(array, axes, range(axes.length)), [factors, ...without(array.shape, axes)]);
    while (rest.shape[0] > 1) {
      const count = rest.shape[0];
      const half = Math.floor(count / 2);
      const product = slice(rest, `:${half}`).mul(slice(rest, `${half}:${2 * half}`));
      rest = count % 2 === 0 ? product : concatenate([product, slice(rest, `${2 * half}:`)]);
    }
    const product = rest.shape[0] === 0 ? sum(rest, 0).add(1) : slice(rest, 0);
    const result = initial === undefined ? product : product.mul(startScalar("prod", initial, array));
    return keepdims ? expandDims(result, axes) : result;
  },
);

/** Whether any element is true (not zero). */
export const any = checked(
  "np.any",
  3,
  ["keepdims", "where"],
  (x: ArrayLike, axis?: Axes, { keepdims = false, where: mask }: Masked = {}): Array =>
    reduce("any", primitives.reduceMax, masked("any", asBool("any", x), mask, false), axis, keepdims),
);
/** Whether all elements are true (not zero). */
export const all = checked(
  "np.all",
  3,
  ["keepdims", "where"],
  (x: ArrayLike, axis?: Axes, { keepdims = false, where: mask }: Masked = {}): Array =>
    reduce("all", primitives.reduceMin, masked("all", asBool("all", x), mask, true), axis, keepdims),
);

const argExtremum = (operation: string, primitive: Primitive<primitives.ArgReduceParams>) =>
  checked(
    `np.${operation}`,
    3,
    ["keepdims"],
    (x: ArrayLike, axis: number | null = null, { keepdims = false }: KeepDims = {}): Array => {
      const array = asArray(operation, x);
      if (axis === null) {
        const flat = bindOne(primitive, [array.reshape(-1)], { axis: 0 });
        return keepdims ? flat.reshape(array.shape.map(() => 1)) : flat;
      }
      const at = normalizeAxis(operation, axis, array.ndim);
      const index = bindOne(primitive, [array], { axis: at });
      return keepdims ? expandDims(index, at) : index;
    },
  );

/** The index of the first largest element along an axis, or in the flattened array. */
export const argmax = argExtremum("argmax", primitives.argMax);
/** The index of the first smallest element along an axis, or in the flattened array. */
export const argmin = argExtremum("argmin", primitives.argMin);

/** How many elements are not zero. */
export const countNonzero = checked(
  "np.countNonzero",
  3,
  ["keepdims"],
  (x: ArrayLike, axis?: Axes, options?: KeepDims): Array => sum(asBool("countNonzero", x), axis, options),
);

/** Whether two arrays have equal shape and elements; with `equalNan` NaN equals NaN. */
export const arrayEqual = checked(
  "np.arrayEqual",
  3,
  ["equalNan"],
  (x: ArrayLike, y: ArrayLike, { equalNan = false }: { readonly equalNan?: boolean } = {}): Array => {
    const [a, b] = [x, y].map((operand) => asArray("arrayEqual", operand));
    if (!sameShape(a.shape, b.shape)) return constant(0, "bool");
    const isEqual = a.equal(b);
    return all(equalNan ? isEqual.or(isnan(a).and(isnan(b))) : isEqual);
  },
);
