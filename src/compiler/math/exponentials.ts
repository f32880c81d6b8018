// Functions made of exponentials. Polynomials, here and in the other files, are minimax fits rounded to float32.
import type { Term } from "./formula.js";
import { keepZero, minusAbs, withSignOf } from "./signs.js";
import { abs, add, bitsOf, div, floatOf, less, lessEqual, madd, maxNumber, minNumber } from "./terms.js";
import { mul, neg, polynomial, select, shiftLeft, shiftRightLogical, sub } from "./terms.js";

/** ln 2 in two parts, the first so short that its multiples are exact. */
export const ln2High = 0.693145751953125;
export const ln2Low = 1.428606765330187e-6;

/**
 * Added to a number below 2^22, it leaves the nearest whole number in the lowest bits, plus whatever is added to it
 * here: 127 makes these bits, shifted up, the power of two with that exponent.
 */
const rounder = (plus: number): number => 12582912 + plus;

/** The float whose exponent is in the lowest bits. */
const withExponent = (bits: Term): Term => floatOf(shiftLeft(bits, 23));

/** 2^n for whole numbers n, -126 to 127, given as int32. */
export const powerOfTwo = (n: Term): Term => withExponent(add(n, 127));

export function exp(x: Term): Term {
  // Beyond these the result is infinite or zero; NaN passes.
  const y = maxNumber(minNumber(x, 89), -104.5);
  const rounded = madd(y, Math.LOG2E, rounder(254));
  const n = sub(rounded, rounder(254));
  const r = madd(n, -ln2Low, madd(n, -ln2High, y));
  const series = polynomial(
    r,
    [0.0013951562577858567, 0.00836953055113554, 0.041666191071271896, 0.16666513681411743, 0.5],
  );
  const fraction = add(madd(series, mul(r, r), r), 1);
  // Scaled by two halves of n, for 2^n alone may be out of range; 254 has a 127 for either.
  const bits = bitsOf(rounded);
  const half = shiftRightLogical(bits, 1);
  return mul(mul(fraction, withExponent(half)), withExponent(sub(bits, half)));
}

export function expm1(x: Term): Term {
  // Near zero the series without its first term; elsewhere nothing cancels.
  const series = polynomial(
    x,
    [
      0.00019999021606054157, 0.0014001794625073671, 0.008333051577210426, 0.0416652075946331,
      0.1666666865348816, 0.5000000596046448,
    ],
  );
  const near = madd(series, mul(x, x), x);
  return keepZero(x, select(less(abs(x), 0.5), near, sub(exp(x), 1)));
}

/** 1 / (1 + exp(-x)), from exp of -|x|, which cannot overflow. */
export function logistic(x: Term): Term {
  const e = exp(neg(abs(x)));
  return div(select(lessEqual(0, x), 1, e), add(e, 1));
}

/**
 * With y = -|x| = r + n · ln 2 / 2 and h = tanh r, a short series: ((2^n + 1) h + 2^n - 1) / ((2^n - 1) h + 2^n + 1).
 * Few constants matter as much as few steps: there are 16 registers.
 */
export function tanh(x: Term): Term {
  const y = maxNumber(minusAbs(x), -10.4);
  const rounded = madd(y, 2 / Math.LN2, rounder(127));
  const scale = withExponent(bitsOf(rounded));
  const r = madd(sub(rounded, rounder(127)), -Math.LN2 / 2, y);
  const square = mul(r, r);
  const h = madd(polynomial(square, [0.1310642957687378, -0.33331194519996643]), mul(square, r), r);
  const [low, high] = [sub(scale, 1), add(scale, 1)];
  // The quotient is -tanh|x|; the sign of x goes over it.
  return withSignOf(x, abs(div(madd(high, h, low), madd(low, h, high))));
}
