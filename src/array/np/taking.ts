// Elements at positions that are given as an array, and the positions of values.
import { checked } from "../core/checked.js";
import { Array, type ArrayLike } from "../core/array.js";
import { asArray, broadcastTo } from "../core/coerce.js";
import { isFloat, limitOf } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import { checkChoice } from "../core/rules.js";
import { broadcastShapes, normalizeAxis, range, sizeOf, type Shape } from "../core/shape.js";
import { arrayType } from "../core/type.js";
import { zeros } from "../primitives/linear.js";
import { reorder } from "../primitives/sort.js";
import { mod, where } from "./elementwise.js";
import { asPositions, fromStart, wholeNumbers, type Entry } from "./indexParsing.js";
import { readEntries } from "./indexing.js";

export interface TakeOptions {
  /**
   * What a position outside means. By default the nearest one inside, negative ones counting from the end;
   * "clip" takes negative ones for 0, "wrap" goes round, "fill" gives NaN, for integers the dtype's smallest
   * (unsigned: largest) value, for bool true.
   */
  readonly mode?: "clip" | "wrap" | "fill";
}

/** Elements at positions along an axis, or of the flattened array. */
export const take = checked(
  "np.take",
  4,
  ["mode"],
  (
    x: ArrayLike,
    indices: Array | number | readonly number[],
    axis: number | null = null,
    options: TakeOptions = {},
  ): Array => {
    const { mode } = options;
    if (mode !== undefined) checkChoice("take", "mode", mode, ["clip", "wrap", "fill"]);
    const array = asArray("take", x);
    if (axis === null) return take(array.reshape(-1), indices, 0, options);
    const at = normalizeAxis("take", axis, array.ndim);
    const extent = array.shape[at];
    const given = asPositions("take", indices instanceof Array ? indices : wholeNumbers("take", indices));
    const positions =
      mode === "clip" ? given : mode === "wrap" ? mod(given, extent) : fromStart("take", given, extent);
    const entries = array.shape.map((count, other): Entry =>
      other === at ? { kind: "array", positions } : { kind: "range", start: 0, count, step: 1 },
    );
    const picked = readEntries(array, entries);
    if (mode !== "fill") return picked;
    const inside = positions.greaterEqual(0).and(positions.less(extent));
    const mask = inside.reshape([...positions.shape, ...range(array.ndim - at - 1).map(() => 1)]);
    const { dtype } = array;
    const missing = isFloat(dtype) ? NaN : limitOf(dtype, dtype === "int32" ? -1 : 1);
    return where(mask, picked, constant(missing, dtype));
  },
);

/** For each lane along an axis, the elements at that lane's own positions. */
export const takeAlongAxis = checked(
  "np.takeAlongAxis",
  3,
  (x: Array, indices: Array, axis: number): Array => {
    const at = normalizeAxis("takeAlongAxis", axis, x.ndim);
    if (indices.ndim !== x.ndim) {
      fail(
        "takeAlongAxis",
        `indices must have as many dimensions as the array, got ${indices.ndim} and ${x.ndim}; add axes with np.expandDims`,
      );
    }
    const extent = x.shape[at];
    const positions = fromStart("takeAlongAxis", indices, extent);
    const lanes = (shape: Shape, along: number) => shape.map((n, other) => (other === at ? along : n));
    const common = broadcastShapes("takeAlongAxis", lanes(x.shape, 1), lanes(indices.shape, 1));
    return reorder(
      broadcastTo("takeAlongAxis", x, lanes(common, extent)),
      broadcastTo("takeAlongAxis", positions, lanes(common, indices.shape[at])),
      at,
    );
  },
);

/** Where each value would go in a sorted list to keep it sorted; ties to the left or right. NaN goes last. */
export const searchsorted = checked(
  "np.searchsorted",
  3,
  ["side"],
  (sorted: Array, values: ArrayLike, { side = "left" }: { readonly side?: "left" | "right" } = {}): Array => {
    checkChoice("searchsorted", "side", side, ["left", "right"]);
    if (sorted.ndim !== 1)
      fail("searchsorted", `the sorted array must have one dimension, got ${sorted.ndim}`);
    const wanted = asArray("searchsorted", values);
    if (sizeOf(sorted.shape) === 0) return zeros(arrayType(wanted.shape, "int32"));
    const column = wanted.reshape([...wanted.shape, 1]);
    const isNumber = sorted.equal(sorted);
    const isBefore =
      side === "left"
        ? sorted.less(column).or(isNumber.and(column.notEqual(column)))
        : sorted.lessEqual(column).or(column.notEqual(column));
    return isBefore.sum(-1);
  },
);
