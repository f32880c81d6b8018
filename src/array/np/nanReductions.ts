// NumPy's reductions that leave NaN out.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray, asFloat, toDType } from "../core/coerce.js";
import { isFloat } from "../core/dtype.js";
import type { InDType, Masked, Reduction, Spread } from "../core/methods.js";
import type { Axes } from "../core/shape.js";
import { isnan, where } from "./elementwise.js";
import { sqrt } from "./realFunctions.js";
import { all, max, mean, min, prod, sum, var_ } from "./reductions.js";

/** x with another number in place of NaN. */
const without = (x: Array, filler: number): Array => (isFloat(x.dtype) ? where(isnan(x), filler, x) : x);

const sumReduction = (name: string, reduce: typeof sum, neutral: number): typeof sum =>
  checked(
    `np.${name}`,
    3,
    ["keepdims", "where", "initial", "dtype"],
    (x: ArrayLike, axis?: Axes, options?: Reduction & InDType): Array =>
      reduce(without(asArray(name, x), neutral), axis, options),
  );

/** The sum of what is not NaN. */
export const nansum = sumReduction("nansum", sum, 0);
/** The product of what is not NaN. */
export const nanprod = sumReduction("nanprod", prod, 1);

const extremum = (name: string, reduce: typeof max, neutral: number): typeof max =>
  checked(
    `np.${name}`,
    3,
    ["keepdims", "where", "initial"],
    (x: ArrayLike, axis?: Axes, options: Reduction = {}): Array => {
      const array = asArray(name, x);
      const result = reduce(without(array, neutral), axis, options);
      if (!isFloat(array.dtype) || options.initial !== undefined) return result;
      const { keepdims = false } = options;
      return where(all(isnan(array), axis, { keepdims }), NaN, result);
    },
  );

/** The largest element that is not NaN; NaN where there is none. */
export const nanmax = extremum("nanmax", max, -Infinity);
/** The smallest element that is not NaN; NaN where there is none. */
export const nanmin = extremum("nanmin", min, Infinity);

/** Which elements count: those that are not NaN, and of the mask if there is one. */
function counting(operation: string, x: Array, mask: ArrayLike | undefined): Array {
  const isNumber = isnan(x).not();
  return mask === undefined ? isNumber : isNumber.and(toDType(operation, mask, "bool"));
}

/** The mean of what is not NaN. */
export const nanmean = checked(
  "np.nanmean",
  3,
  ["keepdims", "where", "dtype"],
  (x: ArrayLike, axis?: Axes, { where: mask, ...options }: Masked & InDType = {}): Array => {
    const array = asFloat("nanmean", x);
    return mean(without(array, 0), axis, { ...options, where: counting("nanmean", array, mask) });
  },
);

/** The variance of what is not NaN. */
export const nanvar = checked(
  "np.nanvar",
  3,
  ["keepdims", "where", "ddof", "dtype"],
  (x: ArrayLike, axis?: Axes, { where: mask, ddof = 0, ...options }: Spread = {}): Array => {
    const array = asFloat("nanvar", x);
    const counted = counting("nanvar", array, mask);
    const biased = var_(without(array, 0), axis, { ...options, where: counted });
    if (ddof === 0) return biased;
    const { keepdims = false } = options;
    const count = sum(counted, axis, { keepdims });
    const isEnough = count.greater(ddof);
    return where(isEnough, biased.mul(count).div(where(isEnough, count.sub(ddof), 1)), NaN);
  },
);

/** The square root of the variance of what is not NaN. */
export const nanstd = checked(
  "np.nanstd",
  3,
  ["keepdims", "where", "ddof", "dtype"],
  (x: ArrayLike, axis?: Axes, options?: Spread): Array => sqrt(nanvar(x, axis, options)),
);
