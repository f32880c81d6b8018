// Choosing between arrays, membership, and closeness of whole arrays.
import { checked } from "../core/checked.js";
import type { Array } from "../core/array.js";
import { type ArrayLike } from "../core/array.js";
import { asArray, asBool, promote } from "../core/coerce.js";
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
    // Whole numbers are compared as such, not rounded to floats.
    const areWhole =
      globalThis.Array.isArray(testElements) && testElements.flat(Infinity as 1).every(Number.isInteger);
    const given = makeArray(testElements, areWhole ? { dtype: "int32" } : {});
    const [x, tests] = promote("np.isin", [asArray("np.isin", element), given]) as [Array, Array];
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
