// Choosing between arrays, membership, and closeness of whole arrays.
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { type ArrayLike } from "../core/array.js";
import { asArray, asBool, promote } from "../core/coerce.js";
import { integerRange, isInteger } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { array as makeArray, type ArrayData } from "./creation.js";
import { isclose, logicalNot, where, type Closeness } from "./elementwise.js";
import { all, any } from "./reductions.js";
import { expandDims } from "./shaping.js";

/** For each element the choice whose condition is the first that holds, or the default. */
export const select = checked(
  "np.select",
  3,
  (conditions: readonly ArrayLike[], choices: readonly ArrayLike[], defaultValue: ArrayLike = 0): Array => {
    if (![conditions, choices].every((list: unknown) => globalThis.Array.isArray(list) && list.length > 0)) {
      fail("np.select", "needs a list of at least one condition and a list of choices");
    }
    if (conditions.length !== choices.length) {
      fail(
        "np.select",
        `needs as many choices as conditions, got ${choices.length} for ${conditions.length}`,
      );
    }
    const [otherwise, ...values] = promote("np.select", [defaultValue, ...choices]) as [Array, ...Array[]];
    return values.reduceRight(
      (rest, value, at) => where(asBool("np.select", conditions[at]), value, rest),
      otherwise,
    );
  },
);

/** What elements are compared with; whole numbers as integers where the elements are, not rounded to floats. */
function testArray({ dtype }: Array, given: ArrayData): Array {
  const numbers: readonly unknown[] = globalThis.Array.isArray(given) ? given.flat(Infinity as 1) : [];
  if (!isInteger(dtype) || numbers.length === 0 || !numbers.every(Number.isInteger)) return makeArray(given);
  const [low, high] = integerRange(dtype);
  const fits = (numbers as readonly number[]).every((value) => value >= low && value <= high);
  return makeArray(given, { dtype: fits ? dtype : "int32" });
}

/** Which elements are among the test elements. */
export const isin = checked(
  "np.isin",
  3,
  ["invert"],
  (
    element: ArrayLike,
    testElements: ArrayData,
    { invert = false }: { readonly invert?: boolean } = {},
  ): Array => {
    const [x, tests] = promote("np.isin", [
      element,
      testArray(asArray("np.isin", element), testElements),
    ]) as [Array, Array];
    const found = any(expandDims(x, -1).equal(tests.reshape(-1)), -1);
    return invert ? logicalNot(found) : found;
  },
);

/** Whether all elements are close, as `isclose` has it. */
export const allclose = checked(
  "np.allclose",
  3,
  ["rtol", "atol", "equalNan"],
  (x: ArrayLike, y: ArrayLike, options?: Closeness): Array => all(isclose(x, y, options)),
);
