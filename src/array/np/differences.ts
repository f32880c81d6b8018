// Differences between neighbours, areas under sampled functions, and what lies between samples.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray, asFloat, broadcastTo, promoteToFloat } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { checkWhole } from "../core/rules.js";
import { normalizeAxis, range, replaceAt } from "../core/shape.js";
import { showType } from "../core/type.js";
import { abs, mod, where } from "./elementwise.js";
import { concatenate } from "./joining.js";
import { slice } from "./indexing.js";
import { sum } from "./reductions.js";
import { argsort } from "./sorting.js";
import { searchsorted, take } from "./taking.js";

export interface DiffOptions {
  /** What comes before the first elements along the axis; a number for all of them. */
  readonly prepend?: ArrayLike;
  /** What comes after the last elements along the axis. */
  readonly append?: ArrayLike;
}

const along = (x: Array, axis: number, part: string): Array => slice(x, ...range(axis).map(() => ":"), part);

/** The n-th differences of neighbours along an axis; of bool, whether they differ. */
export const diff = checked(
  "np.diff",
  4,
  ["prepend", "append"],
  (x: ArrayLike, n = 1, axis = -1, { prepend, append }: DiffOptions = {}): Array => {
    const array = asArray("np.diff", x);
    checkWhole("np.diff", "n", n, 0);
    if (array.ndim === 0) fail("np.diff", "needs at least one dimension, got a scalar");
    const at = normalizeAxis("np.diff", axis, array.ndim);
    const fitted = (end: ArrayLike | undefined): Array[] => {
      if (end === undefined) return [];
      const given = asArray("np.diff", end);
      return [given.ndim === 0 ? broadcastTo("np.diff", given, replaceAt(array.shape, at, 1)) : given];
    };
    if (n === 0) return array;
    const parts = [...fitted(prepend), array, ...fitted(append)];
    let rest = parts.length === 1 ? array : concatenate(parts, at);
    for (let order = 0; order < n; order++) {
      const [later, earlier] = [along(rest, at, "1:"), along(rest, at, ":-1")];
      rest = rest.dtype === "bool" ? later.notEqual(earlier) : later.sub(earlier);
    }
    return rest;
  },
);

/** The area under samples y along an axis by the trapezoidal rule; x are their places, or `dx` their distance. */
export const trapezoid = checked(
  "np.trapezoid",
  4,
  (y: ArrayLike, x: ArrayLike | null = null, dx = 1, axis = -1): Array => {
    const heights = asFloat("np.trapezoid", y);
    const at = normalizeAxis("np.trapezoid", axis, heights.ndim);
    const pairs = along(heights, at, "1:").add(along(heights, at, ":-1"));
    if (x === null) return sum(pairs.mul(dx), at).mul(0.5);
    const places = asFloat("np.trapezoid", x);
    const widths =
      places.ndim === 1
        ? diff(places).reshape(heights.shape.map((_, other) => (other === at ? -1 : 1)))
        : diff(places, 1, at);
    return sum(pairs.mul(widths), at).mul(0.5);
  },
);

export interface InterpOptions {
  /** The value before the first sample. Default that sample's. */
  readonly left?: ArrayLike;
  /** The value after the last sample. Default that sample's. */
  readonly right?: ArrayLike;
  /** The period of x, if the function has one. */
  readonly period?: number;
}

/** The function through the points (xp, fp), xp ascending, at x: straight between neighbouring points. */
export const interp = checked(
  "np.interp",
  4,
  ["left", "right", "period"],
  (x: ArrayLike, xp: ArrayLike, fp: ArrayLike, { left, right, period }: InterpOptions = {}): Array => {
    const [at, places, values] = promoteToFloat("np.interp", [x, xp, fp]) as [Array, Array, Array];
    if (places.ndim !== 1 || values.ndim !== 1 || places.size !== values.size || places.size === 0) {
      fail(
        "np.interp",
        `xp and fp must be vectors of one length, got ${showType(places.type)} and ${showType(values.type)}`,
      );
    }
    if (period === undefined) return between(at, places, values, left, right);
    if (period === 0) fail("np.interp", "the period must not be 0");
    const turn = Math.abs(period);
    const order = argsort(mod(places, turn));
    const [sorted, heights] = [take(mod(places, turn), order), take(values, order)];
    return between(
      mod(at, turn),
      concatenate([slice(sorted, "-1:").sub(turn), sorted, slice(sorted, ":1").add(turn)]),
      concatenate([slice(heights, "-1:"), heights, slice(heights, ":1")]),
      undefined,
      undefined,
    );
  },
);

function between(
  x: Array,
  places: Array,
  values: Array,
  left: ArrayLike | undefined,
  right: ArrayLike | undefined,
): Array {
  const upper = searchsorted(places, x, { side: "right" }).clip(1, Math.max(1, places.size - 1));
  const lower = upper.sub(1);
  const rise = take(values, upper).sub(take(values, lower));
  const run = take(places, upper).sub(take(places, lower));
  // Two samples at one place: the step belongs to the later one.
  const isStep = abs(run).lessEqual(1.4210854715202004e-14);
  const share = x.sub(take(places, lower)).div(where(isStep, 1, run));
  const line = where(isStep, take(values, lower), take(values, lower).add(share.mul(rise)));
  const raised = where(x.less(slice(places, 0)), left ?? slice(values, 0), line);
  return where(x.greater(slice(places, -1)), right ?? slice(values, -1), raised);
}
