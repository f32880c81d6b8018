// Sine, cosine and the angle of a point.
import type { Term } from "./formula.js";
import { keepZero, withSignOf } from "./signs.js";
import { abs, add, and, bitsOf, convert, div, equal, floatOf, less, madd, max, maxNumber } from "./terms.js";
import { min, minNumber, mul, polynomial, round, select, shiftLeft, sub, xor } from "./terms.js";

export const sin = (x: Term): Term => keepZero(x, sinOrCos(x, 0));
export const cos = (x: Term): Term => sinOrCos(x, 1);

/** sin(x + quarters · π/2). The quarter turns are taken off in double precision. */
function sinOrCos(x: Term, quarters: 0 | 1): Term {
  const wide = convert(x, "float64");
  const turns = round(mul(wide, 2 / Math.PI));
  // π/2 in two parts, the first so short that its multiples are exact.
  const rest = madd(turns, -6.077100506506192e-11, madd(turns, -1.5707963267341256, wide));
  // Bounded even where the reduction has no digits left.
  const r = maxNumber(minNumber(convert(rest, "float32"), 0.8), -0.8);
  const quarter = add(convert(turns, "int32"), quarters);
  const square = mul(r, r);
  const evenSeries = polynomial(square, [2.4425689844065346e-5, -0.0013887251261621714, 0.04166664555668831]);
  const cosine = add(madd(square, -0.5, mul(evenSeries, mul(square, square))), 1);
  const oddSeries = polynomial(square, [-0.00019510868878569454, 0.008332131430506706, -0.16666653752326965]);
  const sine = madd(mul(oddSeries, square), r, r);
  // Odd quarters take the cosine, the second half turn the other sign.
  const size = select(equal(and(quarter, 1), 1), cosine, sine);
  return floatOf(xor(bitsOf(size), shiftLeft(and(quarter, 2), 30)));
}

export function atan2(y: Term, x: Term): Term {
  const [height, width] = [abs(y), abs(x)];
  const larger = max(width, height);
  // 0 / 0 is 0 and ∞ / ∞ is 1 here.
  const quotient = select(equal(larger, 0), 0, div(min(width, height), larger));
  const areInfinite = and(equal(width, Infinity), equal(height, Infinity));
  const ratio = select(areInfinite, 1, quotient);
  const square = mul(ratio, ratio);
  const series = polynomial(
    square,
    [
      0.0029037953354418278, -0.0162840336561203, 0.04304115101695061, -0.07533840090036392,
      0.10654763132333755, -0.14207158982753754, 0.1999305784702301, -0.3333309292793274,
    ],
  );
  const octant = madd(mul(series, square), ratio, ratio);
  // The octants: beyond 45°, to the left, below.
  const quadrant = select(less(width, height), sub(Math.PI / 2, octant), octant);
  return withSignOf(y, select(less(bitsOf(x), 0), sub(Math.PI, quadrant), quadrant));
}
