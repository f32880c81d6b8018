// Running totals along an axis, as loops.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray } from "../core/coerce.js";
import { limitOf, type DType } from "../core/dtype.js";
import { normalizeAxis } from "../core/shape.js";
import { scan } from "../lax/loops.js";
import { full } from "./creation.js";
import { maximum, minimum } from "./elementwise.js";
import { moveaxis } from "./shaping.js";

export interface CumulativeOptions {
  /** Whether to go from the end to the start. Default false. */
  readonly reverse?: boolean;
}

export type Cumulative = (x: ArrayLike, axis?: number | null, options?: CumulativeOptions) => Array;

function cumulative(
  operation: string,
  combine: (total: Array, element: Array) => Array,
  start: (dtype: DType) => number,
): Cumulative {
  const run: Cumulative = (x, axis = null, { reverse = false } = {}) => {
    const given = asArray(operation, x);
    const array = given.dtype === "bool" ? given.astype("int32") : given;
    // A scalar counts as a vector of one, as in NumPy.
    if (axis === null || array.ndim === 0) return run(array.reshape(-1), axis ?? 0, { reverse });
    const at = normalizeAxis(operation, axis, array.ndim);
    const rows = moveaxis(array, at, 0);
    const { dtype } = array;
    const [, totals] = scan(
      (total: Array, row: Array) => {
        const next = combine(total, row);
        return [next, next];
      },
      full(rows.shape.slice(1), start(dtype), { dtype }),
      rows,
      { reverse },
    );
    return moveaxis(totals, 0, at);
  };
  return checked(`np.${operation}`, 3, ["reverse"], run);
}

/** Running sums along an axis, or of the flattened array. */
export const cumsum = cumulative(
  "cumsum",
  (total, element) => total.add(element),
  () => 0,
);
/** Running products along an axis, or of the flattened array. */
export const cumprod = cumulative(
  "cumprod",
  (total, element) => total.mul(element),
  () => 1,
);
/** The largest element so far along an axis, or of the flattened array. */
export const cummax = cumulative("cummax", maximum, (dtype) => limitOf(dtype, -1));
/** The smallest element so far along an axis, or of the flattened array. */
export const cummin = cumulative("cummin", minimum, (dtype) => limitOf(dtype, 1));
