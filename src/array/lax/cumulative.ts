// Running totals as `lax` has them: along the first axis unless told otherwise, where `np` flattens.
import type { Array, ArrayLike } from "../core/array.js";
import * as np from "../np/cumulative.js";

const alongFirst =
  (run: np.Cumulative) =>
  (x: ArrayLike, axis = 0, options: np.CumulativeOptions = {}): Array =>
    run(x, axis, options);

/** Running sums along an axis. */
export const cumsum = alongFirst(np.cumsum);
/** Running products along an axis. */
export const cumprod = alongFirst(np.cumprod);
/** The largest element so far along an axis. */
export const cummax = alongFirst(np.cummax);
/** The smallest element so far along an axis. */
export const cummin = alongFirst(np.cummin);
