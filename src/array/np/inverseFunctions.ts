// Inverse hyperbolic functions, roots and others, made of logarithms and exponentials; the short names of angles.
import type { Array } from "../core/array.js";
import { asFloat } from "../core/coerce.js";
import { bindOne } from "../core/trace.js";
import { stopGradient as stopGradientPrimitive } from "../primitives/convert.js";
import { divide, where } from "./elementwise.js";
import { unary } from "./operators.js";
import { arccos, arcsin, arctan, arctan2, exp, log, log1p, sin, sqrt } from "./realFunctions.js";

export { arccos as acos, arcsin as asin, arctan as atan, arctan2 as atan2 };

const stopGradient = (x: Array): Array => bindOne(stopGradientPrimitive, [x], {});

/** f of |x| with the sign of x, and with its derivative at 0. */
function odd(x: Array, f: (size: Array) => Array): Array {
  const isNegative = x.less(0);
  const value = f(where(isNegative, x.neg(), x));
  return where(isNegative, value.neg(), value);
}

// From here on the square of x changes nothing any more.
const large = 1e8;

export const arcsinh = unary("np.arcsinh", (x) =>
  odd(asFloat("np.arcsinh", x), (size) => {
    const isLarge = size.greater(large);
    const near = where(isLarge, 1, size);
    const square = near.mul(near);
    const small = log1p(near.add(square.div(sqrt(square.add(1)).add(1))));
    return where(isLarge, log(where(isLarge, size, 1)).add(Math.LN2), small);
  }),
);
export const arccosh = unary("np.arccosh", (x) => {
  const value = asFloat("np.arccosh", x);
  const isLarge = value.greater(large);
  const above = where(isLarge, 1, value.sub(1));
  // Two roots, so that below 1 it is NaN everywhere.
  const small = log1p(above.add(sqrt(above).mul(sqrt(above.add(2)))));
  return where(isLarge, log(where(isLarge, value, 1)).add(Math.LN2), small);
});
export const arctanh = unary("np.arctanh", (x) => {
  const value = asFloat("np.arctanh", x);
  return log1p(value).sub(log1p(value.neg())).mul(0.5);
});
export { arcsinh as asinh, arccosh as acosh, arctanh as atanh };

/** The cube root, of negative numbers too. */
export const cbrt = unary("np.cbrt", (x) => {
  const value = asFloat("np.cbrt", x);
  const isZero = value.equal(0);
  const isUsual = value.abs().notEqual(Infinity).and(isZero.not());
  const root = odd(where(isUsual, value, 1), (size) => {
    const guess = exp(log(size).div(3));
    // One step of Newton's method gets the digits that the logarithm lost.
    return guess.sub(guess.sub(size.div(guess.mul(guess))).div(3));
  });
  // At 0 the square root is as steep, at infinity the function is flat.
  return where(isUsual, root, where(isZero, sqrt(where(isZero, value.add(0), 1)), stopGradient(value)));
});

/** sin(πx) / (πx), 1 at 0. */
export const sinc = unary("np.sinc", (x) => {
  const value = asFloat("np.sinc", x);
  const angle = value.mul(Math.PI);
  const isNear = angle.abs().less(0.5);
  const far = where(isNear, 1, angle);
  // Close to 0 as a series, whose derivative does not cancel.
  const square = where(isNear, angle.mul(angle), 0);
  const series = square
    .div(-5040)
    .add(1 / 120)
    .mul(square)
    .add(-1 / 6)
    .mul(square)
    .add(1);
  return where(isNear, series, divide(sin(far), far));
});
