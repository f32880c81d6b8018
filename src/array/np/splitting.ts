// Taking arrays apart along an axis, and appending.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { checkWhole } from "../core/rules.js";
import { normalizeAxis, range, replaceAt } from "../core/shape.js";
import { showType } from "../core/type.js";
import { bindOne } from "../core/trace.js";
import { slice as slicePrimitive } from "../primitives/slice.js";
import { concatenate, split } from "./joining.js";

/** The slices along an axis, without it. */
export const unstack = checked(
  "np.unstack",
  2,
  ["axis"],
  (x: ArrayLike, { axis = 0 }: { readonly axis?: number } = {}): Array[] => {
    const array = asArray("np.unstack", x);
    const at = normalizeAxis("np.unstack", axis, array.ndim);
    const parts = array.shape[at] === 0 ? [] : split(array, array.shape[at], at);
    return parts.map((part) => part.squeeze(at));
  },
);

/** Parts along an axis, of which the first may be longer by one; or cut at the given indices. */
export const arraySplit = checked(
  "np.arraySplit",
  3,
  (x: ArrayLike, sections: number | readonly number[], axis = 0): Array[] => {
    const array = asArray("np.arraySplit", x);
    const at = normalizeAxis("np.arraySplit", axis, array.ndim);
    if (typeof sections !== "number") return split(array, sections, at);
    checkWhole("np.arraySplit", "sections", sections, 1);
    const extent = array.shape[at];
    const [size, longer] = [Math.floor(extent / sections), extent % sections];
    const cuts = range(sections + 1).map((part) => part * size + Math.min(part, longer));
    const start = array.shape.map(() => 0);
    return range(sections).map((part) =>
      bindOne(slicePrimitive, [array], {
        start: replaceAt(start, at, cuts[part]),
        limit: replaceAt(array.shape, at, cuts[part + 1]),
        step: array.shape.map(() => 1),
      }),
    );
  },
);

const alongAxis = (name: string, least: number, axisOf: (ndim: number) => number) =>
  checked(`np.${name}`, 2, (x: ArrayLike, sections: number | readonly number[]): Array[] => {
    const array = asArray(`np.${name}`, x);
    if (array.ndim < least) {
      fail(
        `np.${name}`,
        `needs at least ${least} dimension${least === 1 ? "" : "s"}, got ${showType(array.type)}`,
      );
    }
    return split(array, sections, axisOf(array.ndim));
  });

/** Parts along the second axis; of a vector along its only one. */
export const hsplit = alongAxis("hsplit", 1, (ndim) => (ndim === 1 ? 0 : 1));
/** Parts along the first axis. */
export const vsplit = alongAxis("vsplit", 2, () => 0);
/** Parts along the third axis. */
export const dsplit = alongAxis("dsplit", 3, () => 2);

/** Values behind the last along an axis; without an axis both are flattened first. */
export const append = checked(
  "np.append",
  3,
  (x: ArrayLike, values: ArrayLike, axis: number | null = null): Array => {
    const operands = [x, values].map((operand) => asArray("np.append", operand));
    return axis === null
      ? concatenate(operands.map((operand) => operand.reshape(-1)))
      : concatenate(operands, axis);
  },
);
