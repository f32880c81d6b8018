// Quantiles: what lies at a share of the way through the sorted elements.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asFloat } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import type { KeepDims } from "../core/methods.js";
import { checkChoice } from "../core/rules.js";
import { normalizeAxes, range, without, type Axes } from "../core/shape.js";
import { showType } from "../core/type.js";
import { array as makeArray, type ArrayData } from "./creation.js";
import { ceil, floor, isnan, where } from "./elementwise.js";
import { any } from "./reductions.js";
import { expandDims, moveaxis } from "./shaping.js";
import { sort } from "./sorting.js";
import { take } from "./taking.js";

const methods = ["linear", "lower", "higher", "midpoint", "nearest"] as const;

export interface QuantileOptions extends KeepDims {
  /** What lies between two elements: a weighted mean of both (the default), one of them, or their mean. */
  readonly method?: (typeof methods)[number];
}

function quantileOf(
  operation: string,
  x: ArrayLike,
  q: Array,
  axis: Axes | undefined,
  { method = "linear", keepdims = false }: QuantileOptions,
): Array {
  checkChoice(operation, "method", method, methods);
  const given = asFloat(operation, x);
  const axes = normalizeAxes(operation, axis, given.ndim);
  const kept = without(given.shape, axes);
  const lanes = moveaxis(
    given,
    axes,
    range(axes.length).map((at) => at - axes.length),
  ).reshape([...kept, -1]);
  const count = lanes.shape[lanes.ndim - 1];
  if (count === 0) fail(operation, `${showType(given.type)} has no elements along the axes to reduce`);
  // One NaN makes the quantile NaN.
  const sorted = sort(where(any(isnan(lanes), -1, { keepdims: true }), NaN, lanes), -1);
  const place = q.mul(count - 1);
  const [below, above] = [floor(place), ceil(place)].map((at) =>
    take(sorted, at.clip(0, count - 1).astype("int32"), -1),
  ) as [Array, Array];
  const weight = place.sub(floor(place));
  const result = {
    linear: () => below.mul(weight.neg().add(1)).add(above.mul(weight)),
    lower: () => below,
    higher: () => above,
    midpoint: () => below.add(above).mul(0.5),
    nearest: () => where(weight.lessEqual(0.5), below, above),
  }[method]();
  // [kept…, q…] to [q…, kept…]
  const turned = moveaxis(
    result,
    range(q.ndim).map((at) => kept.length + at),
    range(q.ndim),
  );
  return keepdims
    ? expandDims(
        turned,
        axes.map((at) => at + q.ndim),
      )
    : turned;
}

/** The q-th quantile (0 to 1) over axes; several at once are the first axes of the result. */
export const quantile = checked(
  "np.quantile",
  4,
  ["keepdims", "method"],
  (x: ArrayLike, q: ArrayData, axis?: Axes, options: QuantileOptions = {}): Array =>
    quantileOf("np.quantile", x, asFloat("np.quantile", makeArray(q)), axis, options),
);

/** The q-th percentile (0 to 100) over axes. */
export const percentile = checked(
  "np.percentile",
  4,
  ["keepdims", "method"],
  (x: ArrayLike, q: ArrayData, axis?: Axes, options: QuantileOptions = {}): Array =>
    quantileOf("np.percentile", x, asFloat("np.percentile", makeArray(q)).div(100), axis, options),
);

/** The middle element over axes, or the mean of the two in the middle. */
export const median = checked(
  "np.median",
  3,
  ["keepdims"],
  (x: ArrayLike, axis?: Axes, options: KeepDims = {}): Array =>
    quantileOf("np.median", x, asFloat("np.median", 0.5), axis, { ...options, method: "midpoint" }),
);
