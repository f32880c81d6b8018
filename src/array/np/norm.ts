// Norms of vectors and matrices.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asFloat } from "../core/coerce.js";
import { describe, fail } from "../core/errors.js";
import { normalizeAxis, range, showShape, type Axes } from "../core/shape.js";
import { showType } from "../core/type.js";
import { abs, power } from "./elementwise.js";
import { sqrt } from "./realFunctions.js";
import { max, min, sum } from "./reductions.js";
import { expandDims, moveaxis, squeeze } from "./shaping.js";
import { singularValues } from "./singularValues.js";

/**
 * Which norm. Of vectors: any p, 0 (how many elements are not zero) or ±Infinity. Of matrices: "fro", "nuc"
 * (the sum of the singular values), ±2 (the largest or smallest of them), ±1 or ±Infinity (the largest or
 * smallest sum of a column or row). "inf" and "-inf" are the infinities too.
 */
export type NormOrder = number | "fro" | "nuc" | "inf" | "-inf";

/**
 * The norm of vectors along one axis, or of matrices along two; without an axis that of the whole vector or
 * matrix. Without an order it is the square root of the sum of squares, over any number of axes.
 */
export const norm = checked(
  "np.linalg.norm",
  4,
  ["keepdims"],
  (
    given: ArrayLike,
    ord: NormOrder | null = null,
    axis: Axes = null,
    { keepdims = false }: { readonly keepdims?: boolean } = {},
  ): Array => {
    const x = asFloat("np.linalg.norm", given);
    if (ord === null && axis === null) return lengthOf(x, null, keepdims);
    const axes = axis === null ? range(x.ndim) : [axis].flat();
    const places = axes.map((at) => normalizeAxis("np.linalg.norm", at, x.ndim));
    const order = ord === "inf" ? Infinity : ord === "-inf" ? -Infinity : ord;
    if (places.length === 1) return vectorNorm(x, order, places, keepdims);
    if (places.length === 2 && places[0] !== places[1]) {
      return matrixNorm(x, order, places as [number, number], keepdims);
    }
    fail(
      "np.linalg.norm",
      `axes ${showShape(axes)} of ${showType(x.type)}; give one axis for vectors or two for matrices`,
    );
  },
);

const lengthOf = (x: Array, axes: Axes, keepdims: boolean): Array => sqrt(sum(x.mul(x), axes, { keepdims }));

function vectorNorm(x: Array, order: number | string | null, axes: Axes, keepdims: boolean): Array {
  switch (order) {
    case null:
    case 2:
      return lengthOf(x, axes, keepdims);
    case Infinity:
      return max(abs(x), axes, { keepdims, initial: 0 });
    case -Infinity:
      return min(abs(x), axes, { keepdims });
    case 0:
      return sum(x.notEqual(0).astype(x.dtype), axes, { keepdims });
    case 1:
      return sum(abs(x), axes, { keepdims });
  }
  if (typeof order !== "number" || Number.isNaN(order)) {
    fail("np.linalg.norm", `the order of a vector norm must be a number, got ${describe(order)}`);
  }
  return power(sum(power(abs(x), order), axes, { keepdims }), 1 / order);
}

function matrixNorm(
  x: Array,
  order: number | string | null,
  [row, column]: readonly [number, number],
  keepdims: boolean,
): Array {
  const both = [row, column];
  const sums = (along: number): Array => sum(abs(x), along, { keepdims: true });
  const finish = (whole: Array): Array => (keepdims ? whole : squeeze(whole, both));
  const overSingular = (reduce: (values: Array) => Array): Array => {
    const result = reduce(singularValues(moveaxis(x, both, [-2, -1])));
    return keepdims ? expandDims(result, both) : result;
  };
  switch (order) {
    case null:
    case "fro":
      return lengthOf(x, both, keepdims);
    case 1:
      return finish(max(sums(row), column, { keepdims: true, initial: 0 }));
    case -1:
      return finish(min(sums(row), column, { keepdims: true }));
    case Infinity:
      return finish(max(sums(column), row, { keepdims: true, initial: 0 }));
    case -Infinity:
      return finish(min(sums(column), row, { keepdims: true }));
    case 2:
      return overSingular((values) => max(values, -1, { initial: 0 }));
    case -2:
      return overSingular((values) => min(values, -1));
    case "nuc":
      return overSingular((values) => sum(values, -1));
  }
  fail(
    "np.linalg.norm",
    `the order of a matrix norm must be 1, -1, 2, -2, Infinity, -Infinity, "fro" or "nuc", got ${describe(order)}; ` +
      `for vectors give one axis`,
  );
}
