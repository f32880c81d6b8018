// NumPy's reductions.
import type { Array, ArrayLike } from "../core/array.js";
import { asArray, asBool, asFloat } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import type { KeepDims } from "../core/methods.js";
import type { Primitive } from "../core/primitive.js";
import { normalizeAxes, normalizeAxis, range, sameShape, sizeOf, without, type Axes } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import * as primitives from "../primitives/reduce.js";
import { sqrt } from "./elementwise.js";
import { slice } from "./indexing.js";
import { concatenate } from "./joining.js";
import { expandDims, moveaxis, reshape } from "./shaping.js";

function reduce(
  operation: string,
  primitive: Primitive<primitives.ReduceParams>,
  array: Array,
  axis: Axes | undefined,
  { keepdims = false }: KeepDims = {},
): Array {
  const axes = normalizeAxes(operation, axis, array.ndim);
  const reduced = axes.length === 0 ? array : bindOne(primitive, [array], { axes });
  return keepdims ? expandDims(reduced, axes) : reduced;
}

/** What sums are taken of: bool as counts, uint8 as uint32, which does not run over so soon. */
const countable = (operation: string, x: ArrayLike): Array => {
  const array = asArray(operation, x);
  return array.dtype === "bool"
    ? array.astype("int32")
    : array.dtype === "uint8"
      ? array.astype("uint32")
      : array;
};

/** The sum over axes; of bool, how many are true. */
export const sum = (x: ArrayLike, axis?: Axes, options?: KeepDims): Array =>
  reduce("sum", primitives.reduceSum, countable("sum", x), axis, options);

export function mean(x: ArrayLike, axis?: Axes, options?: KeepDims): Array {
  const array = asFloat("mean", x);
  const axes = normalizeAxes("mean", axis, array.ndim);
  return sum(array, axes, options).div(sizeOf(axes.map((at) => array.shape[at])));
}

type Spread = KeepDims & { readonly ddof?: number };

/** The mean squared distance from the mean; `ddof` is subtracted from the count. */
export function var_(x: ArrayLike, axis?: Axes, { ddof = 0, ...options }: Spread = {}): Array {
  const array = asFloat("var", x);
  const axes = normalizeAxes("var", axis, array.ndim);
  const centred = array.sub(mean(array, axes, { keepdims: true }));
  const count = sizeOf(axes.map((at) => array.shape[at]));
  return sum(centred.mul(centred), axes, options).div(count - ddof);
}

/** The square root of the variance. */
export const std = (x: ArrayLike, axis?: Axes, options?: Spread): Array => sqrt(var_(x, axis, options));

const extremum =
  (operation: string, primitive: Primitive<primitives.ReduceParams>) =>
  (x: ArrayLike, axis?: Axes, options?: KeepDims): Array => {
    const array = asArray(operation, x);
    const empty = normalizeAxes(operation, axis, array.ndim).find((at) => array.shape[at] === 0);
    if (empty !== undefined) fail(operation, `${showType(array.type)} has no elements along axis ${empty}`);
    return reduce(operation, primitive, array, axis, options);
  };

export const max = extremum("max", primitives.reduceMax);
export const min = extremum("min", primitives.reduceMin);

/** The product over axes, by halving, so that its derivative is right even where elements are zero. */
export function prod(x: ArrayLike, axis?: Axes, { keepdims = false }: KeepDims = {}): Array {
  const array = countable("prod", x);
  const axes = normalizeAxes("prod", axis, array.ndim);
  const factors = sizeOf(axes.map((at) => array.shape[at]));
  let rest = reshape(moveaxis(array, axes, range(axes.length)), [factors, ...without(array.shape, axes)]);
  while (rest.shape[0] > 1) {
    const count = rest.shape[0];
    const half = Math.floor(count / 2);
    const product = slice(rest, `:${half}`).mul(slice(rest, `${half}:${2 * half}`));
    rest = count % 2 === 0 ? product : concatenate([product, slice(rest, `${2 * half}:`)]);
  }
  const result = rest.shape[0] === 0 ? sum(rest, 0).add(1) : slice(rest, 0);
  return keepdims ? expandDims(result, axes) : result;
}

/** Whether any element is true (not zero). */
export const any = (x: ArrayLike, axis?: Axes, options?: KeepDims): Array =>
  reduce("any", primitives.reduceMax, asBool("any", x), axis, options);
/** Whether all elements are true (not zero). */
export const all = (x: ArrayLike, axis?: Axes, options?: KeepDims): Array =>
  reduce("all", primitives.reduceMin, asBool("all", x), axis, options);

const argExtremum =
  (operation: string, primitive: Primitive<primitives.ArgReduceParams>) =>
  (x: ArrayLike, axis: number | null = null, { keepdims = false }: KeepDims = {}): Array => {
    const array = asArray(operation, x);
    if (axis === null) {
      const flat = bindOne(primitive, [array.reshape(-1)], { axis: 0 });
      return keepdims ? flat.reshape(array.shape.map(() => 1)) : flat;
    }
    const at = normalizeAxis(operation, axis, array.ndim);
    const index = bindOne(primitive, [array], { axis: at });
    return keepdims ? expandDims(index, at) : index;
  };

/** The index of the first largest element along an axis, or in the flattened array. */
export const argmax = argExtremum("argmax", primitives.argMax);
/** The index of the first smallest element along an axis, or in the flattened array. */
export const argmin = argExtremum("argmin", primitives.argMin);

/** How many elements are not zero. */
export const countNonzero = (x: ArrayLike, axis?: Axes, options?: KeepDims): Array =>
  sum(asBool("countNonzero", x), axis, options);

/** Whether two arrays have equal shape and elements. */
export function arrayEqual(x: ArrayLike, y: ArrayLike): Array {
  const [a, b] = [x, y].map((operand) => asArray("arrayEqual", operand));
  return sameShape(a.shape, b.shape) ? all(a.equal(b)) : constant(0, "bool");
}
