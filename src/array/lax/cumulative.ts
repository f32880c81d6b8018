// Running totals as `lax` has them: along the first axis unless told otherwise, where `np` flattens.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import * as np from "../np/cumulative.js";

const alongFirst = (name: string, run: np.Cumulative) =>
  checked(name, 3, ["reverse"], (x: ArrayLike, axis = 0, options: np.CumulativeOptions = {}): Array =>
    run(x, axis, options),
  );

/** Running sums along an axis. */
export const cumsum = alongFirst("lax.cumsum", np.cumsum);
/** Running products along an axis. */
export const cumprod = alongFirst("lax.cumprod", np.cumprod);
/** The largest element so far along an axis. */
export const cummax = alongFirst("lax.cummax", np.cummax);
/** The smallest element so far along an axis. */
export const cummin = alongFirst("lax.cummin", np.cummin);
