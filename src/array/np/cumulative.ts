// Running totals along an axis, as loops.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray } from "../core/coerce.js";
import { checkDType, limitOf, type DType } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import type { InDType } from "../core/methods.js";
import { normalizeAxis } from "../core/shape.js";
import { scan } from "../lax/loops.js";
import { full } from "./creation.js";
import { maximum, minimum } from "./elementwise.js";
import { moveaxis } from "./shaping.js";

export interface CumulativeOptions {
  /** Whether to go from the end to the start. Default false. */
  readonly reverse?: boolean;
}

export type Cumulative<Options = CumulativeOptions> = (
  x: ArrayLike,
  axis?: number | null,
  options?: Options,
) => Array;

type Total = Cumulative<CumulativeOptions & InDType>;

function cumulative(
  operation: string,
  combine: (total: Array, element: Array) => Array,
  start: (dtype: DType) => number,
): Total {
  const run: Total = (x, axis = null, { reverse = false, dtype: wanted } = {}) => {
    const given = asArray(operation, x);
    if (wanted !== undefined) checkDType(operation, wanted);
    if (wanted === "bool")
      fail(operation, "cannot compute in bool; compare the result with something instead");
    const array = given.astype(wanted ?? (given.dtype === "bool" ? "int32" : given.dtype));
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
  return run;
}

/** Running totals, in a dtype of their own if one is asked for. */
const total = (...rule: Parameters<typeof cumulative>): Total =>
  checked(`np.${rule[0]}`, 3, ["reverse", "dtype"], cumulative(...rule));

/** Running extremes, which are elements themselves. */
const extreme = (...rule: Parameters<typeof cumulative>): Cumulative =>
  checked(`np.${rule[0]}`, 3, ["reverse"], cumulative(...rule));

/** Running sums along an axis, or of the flattened array. */
export const cumsum = total(
  "cumsum",
  (total, element) => total.add(element),
  () => 0,
);
/** Running products along an axis, or of the flattened array. */
export const cumprod = total(
  "cumprod",
  (total, element) => total.mul(element),
  () => 1,
);
/** The largest element so far along an axis, or of the flattened array. */
export const cummax = extreme("cummax", maximum, (dtype) => limitOf(dtype, -1));
/** The smallest element so far along an axis, or of the flattened array. */
export const cummin = extreme("cummin", minimum, (dtype) => limitOf(dtype, 1));
