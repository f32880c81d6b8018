// The logarithm of the gamma function and its derivative, by Lanczos' approximation, made of other functions.
import type { Array, ArrayLike } from "../core/array.js";
import { asFloat } from "../core/coerce.js";
import { unary } from "./operators.js";
import { divide, floor, where } from "./elementwise.js";
import { log, log1p, sin, tan } from "./realFunctions.js";

// Lanczos' series for g = 7 with 9 terms (Numerical Recipes, 3rd edition, 6.1): Γ(z + 1) =
// √(2π) (z + g + ½)^(z + ½) exp(−(z + g + ½)) (c₀ + c₁ / (z + 1) + c₂ / (z + 2) + …).
const g = 7;
const leading = 0.9999999999998099;
const coefficients = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

/** The argument of the series: x − 1, or mirrored at ½ where the series would not converge. */
function mirrored(x: ArrayLike): { x: Array; z: Array; isMirrored: Array } {
  const array = asFloat("lax.lgamma", x);
  const isMirrored = array.less(0.5);
  return { x: array, z: where(isMirrored, array.neg(), array.sub(1)), isMirrored };
}

const termsOf = (z: Array): Array[] => coefficients.map((_, at) => z.add(at + 1));
const logOfShifted = (z: Array): Array => log1p(z.div(g + 0.5)).add(Math.log(g + 0.5));

/** log |Γ(x)|. */
export const lgamma = unary("lax.lgamma", (given) => {
  const { x, z, isMirrored } = mirrored(given);
  const series = termsOf(z).reduce(
    (sum, term, at) => sum.add(divide(coefficients[at], term)),
    z.mul(0).add(leading),
  );
  const t = z.add(g + 0.5);
  const logT = logOfShifted(z);
  const value = z
    .add(0.5)
    .sub(t.div(logT))
    .mul(logT)
    .add(0.5 * Math.log(2 * Math.PI))
    .add(log(series));
  // Γ(x) Γ(1 − x) = π / sin(πx); the sine is taken of the fraction, which is exact.
  const magnitude = where(isMirrored, x.abs(), 0.25);
  const fraction = magnitude.sub(floor(magnitude));
  const sine = sin(where(fraction.greater(0.5), fraction.neg().add(1), fraction).mul(Math.PI));
  const other = log(sine).neg().add(Math.log(Math.PI)).sub(value);
  const result = where(isMirrored, where(sine.greater(0), other, Infinity), value);
  return where(x.abs().equal(Infinity), Infinity, result);
});

/** The derivative of log |Γ(x)|. */
export const digamma = unary("lax.digamma", (given) => {
  const { x, z, isMirrored } = mirrored(given);
  const terms = termsOf(z);
  const one = z.mul(0);
  const sum = terms.reduce((total, term, at) => total.add(divide(coefficients[at], term)), one.add(leading));
  const slope = terms.reduce((total, term, at) => total.sub(divide(coefficients[at], term.mul(term))), one);
  const value = logOfShifted(z)
    .add(slope.div(sum))
    .sub(divide(g, z.add(g + 0.5)));
  const safe = where(isMirrored, x, 0.25);
  const reduced = safe.sub(floor(safe.add(0.5)));
  const other = value.sub(divide(Math.PI, tan(reduced.mul(Math.PI))));
  return where(isMirrored, where(x.lessEqual(0).and(x.equal(floor(x))), NaN, other), value);
});
