// NumPy's sorting.
import { checked } from "../core/checked.js";
import { type Array, type ArrayLike } from "../core/array.js";
import { asArray } from "../core/coerce.js";
import { normalizeAxis } from "../core/shape.js";
import { bind, bindOne } from "../core/trace.js";
import { iota } from "../primitives/iota.js";
import { flip } from "../primitives/reshape.js";
import { sort as sortPrimitive } from "../primitives/sort.js";

export interface SortOptions {
  /** Largest first. Default false. */
  readonly descending?: boolean;
}

/** The elements in ascending order along an axis; `null` sorts the flattened array. NaN comes last. */
export const sort = checked(
  "np.sort",
  3,
  ["descending"],
  (x: ArrayLike, axis: number | null = -1, { descending = false }: SortOptions = {}): Array => {
    const array = asArray("sort", x);
    if (axis === null) return sort(array.reshape(-1), 0, { descending });
    const at = normalizeAxis("sort", axis, array.ndim);
    const sorted = bindOne(sortPrimitive, [array], { axis: at, keys: 1 });
    return descending ? bindOne(flip, [sorted], { axes: [at] }) : sorted;
  },
);

/** The positions that would sort the array along an axis; equal elements keep their order. */
export const argsort = checked(
  "np.argsort",
  3,
  ["descending"],
  (x: ArrayLike, axis: number | null = -1, { descending = false }: SortOptions = {}): Array => {
    const array = asArray("argsort", x);
    if (axis === null) return argsort(array.reshape(-1), 0, { descending });
    const at = normalizeAxis("argsort", axis, array.ndim);
    const positions = bindOne(iota, [], { shape: array.shape, axis: at, dtype: "int32" });
    if (!descending) return bind(sortPrimitive, [array, positions], { axis: at, keys: 1 })[1];
    // Sorting the reversed array and reversing the result is stable in descending order.
    const [backwards, places] = [array, positions].map((operand) => bindOne(flip, [operand], { axes: [at] }));
    const sorted = bind(sortPrimitive, [backwards, places], {
      axis: at,
      keys: 1,
    })[1];
    return bindOne(flip, [sorted], { axes: [at] });
  },
);
