// Powers of floats.
import { powerOfTwo } from "./exponentials.js";
import type { Term } from "./formula.js";
import { split } from "./logarithms.js";
import { signOf } from "./signs.js";
import {
  abs,
  add,
  and,
  bitsOf,
  convert,
  div,
  equal,
  floatOf,
  less,
  madd,
  maxNumber,
  minNumber,
} from "./terms.js";
import { mul, not, notEqual, or, polynomial, round, select, shiftLeft, sub, trunc, xor } from "./terms.js";

const inverses = (numbers: readonly number[]): number[] => numbers.map((x) => 1 / x);

/** |x|^y by exp2(y · log2|x|) in double precision, then the signs and the cases that have rules of their own. */
export function pow(x: Term, y: Term): Term {
  const size = abs(x);
  const { mantissa, exponent } = split(size);
  const wide = convert(mantissa, "float64");
  // log2((1 + s) / (1 - s)) = 2 / ln 2 · (s + s³/3 + s⁵/5 + …)
  const s = div(sub(wide, 1), add(wide, 1));
  const series = polynomial(mul(s, s), inverses([15, 13, 11, 9, 7, 5, 3, 1]));
  const logarithm = madd(mul(series, s), 2 * Math.LOG2E, convert(exponent, "float64"));
  // Larger powers than this are out of range for all x but 1, too, and their products would have no fraction left.
  const power = mul(logarithm, convert(clamp(y, 2 ** 33), "float64"));
  const whole = round(power);
  const factorials = [3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2, 1, 1];
  const fraction = polynomial(mul(sub(power, whole), Math.LN2), inverses(factorials));
  // Beyond ±300 the result is infinite or zero.
  const n = clamp(convert(whole, "float32"), 300);
  return inAllCases(x, y, scale(convert(fraction, "float32"), n));
}

/** Nothing beyond ±bound; NaN passes. */
const clamp = (x: Term, bound: number): Term => maxNumber(minNumber(x, bound), -bound);

/** x · 2^n for a whole number n, in three steps, each within range. */
function scale(x: Term, n: Term): Term {
  const third = convert(round(mul(n, 1 / 3)), "int32");
  const twoThirds = mul(mul(x, powerOfTwo(third)), powerOfTwo(third));
  return mul(twoThirds, powerOfTwo(sub(convert(n, "int32"), shiftLeft(third, 1))));
}

/** Given |x|^y, what pow gives also where the logarithm of |x| or its product with y says nothing, as in C. */
function inAllCases(x: Term, y: Term, usual: Term): Term {
  const size = abs(x);
  const [isZero, isInfinite] = [equal(size, 0), equal(size, Infinity)];
  const [isRising, isFalling] = [less(0, y), less(y, 0)];
  let result = usual;
  const where = (condition: Term, value: number) => (result = select(condition, value, result));
  where(and(isZero, isRising), 0);
  where(and(isZero, isFalling), Infinity);
  where(and(isInfinite, isRising), Infinity);
  where(and(isInfinite, isFalling), 0);
  where(and(equal(size, 1), equal(abs(y), Infinity)), 1);
  // A negative base keeps its sign for odd powers and has no result for broken ones.
  const isWhole = equal(y, trunc(y));
  const half = mul(y, 0.5);
  const isOdd = and(notEqual(half, trunc(half)), isWhole);
  result = floatOf(xor(bitsOf(result), select(isOdd, signOf(x), 0)));
  where(and(and(less(x, 0), less(size, Infinity)), not(isWhole)), NaN);
  where(notEqual(x, x), NaN);
  where(or(equal(y, 0), equal(x, 1)), 1);
  return result;
}
