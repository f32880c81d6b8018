// The sign of a number, as a bit and as a value, and what only depends on it.
import type { Term } from "./formula.js";
import { abs, and, bitsOf, constant, equal, floatOf, less, or, select } from "./terms.js";
import { max, maxNumber, min } from "./terms.js";

/** The bit of a float32 that says whether it is negative. */
const signBit = constant(0x80000000, "int32");

/** The sign bit of x and no other. */
export const signOf = (x: Term): Term => and(bitsOf(x), signBit);

/** A number that is not negative, with the sign of x. */
export const withSignOf = (x: Term, size: Term): Term => floatOf(or(bitsOf(size), signOf(x)));

/** -|x|. */
export const minusAbs = (x: Term): Term => floatOf(or(bitsOf(x), signBit));

/** A value for x, but x itself where that is a zero of either sign. */
export const keepZero = (x: Term, value: Term): Term => select(equal(x, 0), x, value);

/** -1, 0 or 1; of floats, zeros and NaN are their own signs. */
export function sign(x: Term): Term {
  switch (x.dtype) {
    case "float32":
      return select(less(0, abs(x)), withSignOf(x, constant(1, "float32")), x);
    case "int32":
      return min(max(x, -1), 1);
    default:
      return min(x, 1);
  }
}

/** max(x, 0), and NaN for NaN. */
export function relu(x: Term): Term {
  if (x.dtype === "float32") return maxNumber(x, 0);
  return x.dtype === "int32" ? max(x, 0) : x;
}
