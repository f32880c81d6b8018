// The complementary error function, made of others.
import type { Array } from "../core/array.js";
import { asFloat } from "../core/coerce.js";
import { minimum, where } from "./elementwise.js";
import { unary } from "./operators.js";
import { erf, exp } from "./realFunctions.js";

// exp(x²)·erfc(x) / t for x ≥ 1 as a polynomial in t = 1 / (1 + x / 2), lowest power first: interpolated at
// Chebyshev points, relative error below 3e-9.
const tailCoefficients = [
  0.282094792608, 0.282094515189, 0.246848165378, 0.175982360283, 0.0873299294154, -0.027029153615,
  0.0298775560038, -0.254367955582, 0.256410117552, -0.0794537412025,
];

/** 1 − erf(x), with all its digits where erf(x) is close to 1. */
export const erfc = unary("lax.erfc", (given) => {
  const x = asFloat("lax.erfc", given);
  const isTail = x.greater(1);
  // Beyond 30 it is 0, even in double precision.
  const z = where(isTail, minimum(x, 30), 1);
  const t = z.mul(0.5).add(1).pow(-1);
  const polynomial = tailCoefficients.reduceRight(
    (sum: Array | null, coefficient) => (sum === null ? t.mul(coefficient) : sum.add(coefficient).mul(t)),
    null,
  ) as Array;
  return where(isTail, polynomial.mul(exp(z.mul(z).neg())), erf(x).neg().add(1));
});
