// NumPy's functions of real variables. Where a formula suits only part of the line, the other part gets an
// argument that is harmless there: its derivative would otherwise turn zeros into NaN.
import type { Array } from "../core/array.js";
import { align, asFloat, promoteToFloat } from "../core/coerce.js";
import * as transcendental from "../primitives/transcendental.js";
import { maximum, minimum, multiply, sign, where } from "./elementwise.js";
import { binary, realBinary, realUnary, unary } from "./operators.js";

export const exp = realUnary("np.exp", transcendental.exp);
export const expm1 = realUnary("np.expm1", transcendental.expm1);
export const log = realUnary("np.log", transcendental.log);
export const log1p = realUnary("np.log1p", transcendental.log1p);
export const sqrt = realUnary("np.sqrt", transcendental.sqrt);
export const sin = realUnary("np.sin", transcendental.sin);
export const cos = realUnary("np.cos", transcendental.cos);
export const tanh = realUnary("np.tanh", transcendental.tanh);
export const erf = realUnary("lax.erf", transcendental.erf);
export const erfInv = realUnary("lax.erfInv", transcendental.erfInv);
export const logistic = realUnary("lax.logistic", transcendental.logistic);
/** The angle of the point (x, y). */
export const arctan2 = realBinary("np.arctan2", transcendental.atan2);
export const tan = unary("np.tan", (x) => sin(x).div(cos(x)));
export const arctan = unary("np.arctan", (x) => arctan2(x, 1));

export const arcsin = unary("np.arcsin", (x) => {
  const value = asFloat("arcsin", x);
  const { isSteep, angle } = steepAngle(value);
  return where(isSteep, sign(value).mul(angle.mul(-2).add(Math.PI / 2)), angle);
});
export const arccos = unary("np.arccos", (x) => {
  const value = asFloat("arccos", x);
  const { isSteep, angle } = steepAngle(value);
  const twice = angle.mul(2);
  const steep = where(value.less(0), twice.neg().add(Math.PI), twice);
  return where(isSteep, steep, angle.neg().add(Math.PI / 2));
});

/**
 * arcsin(x), or where |x| > ½ arcsin(√((1 − |x|) / 2)), half the angle that is missing to a right one: the
 * root there is exact, and infinitely steep at 1 as the function itself.
 */
function steepAngle(x: Array): { readonly isSteep: Array; readonly angle: Array } {
  const isSteep = x.abs().greater(0.5);
  const sine = where(isSteep, sqrt(x.abs().neg().add(1).mul(0.5)), x);
  return { isSteep, angle: arctan2(sine, sqrt(multiply(sine.add(1), sine.neg().add(1)))) };
}

export const sinh = unary("np.sinh", (x) => {
  const value = asFloat("sinh", x);
  const isNear = value.abs().less(1);
  const far = halfExp(value).sub(halfExp(value.neg()));
  return where(isNear, twiceSinh(where(isNear, value, 0)).mul(0.5), far);
});
export const cosh = unary("np.cosh", (x) => {
  const value = asFloat("cosh", x);
  const isNear = value.abs().less(1);
  // cosh(x) = 1 + 2 sinh²(x / 2), whose derivative does not cancel at 0.
  const near = twiceSinh(where(isNear, value, 0).mul(0.5));
  const far = halfExp(value).add(halfExp(value.neg()));
  return where(isNear, near.mul(near).mul(0.5).add(1), far);
});
/** exp(x) / 2, which overflows later than exp(x). */
const halfExp = (x: Array): Array => exp(x.sub(Math.LN2));
/** exp(x) − exp(−x) without cancellation close to 0. */
const twiceSinh = (x: Array): Array => expm1(x).sub(expm1(x.neg()));

export const log2 = unary("np.log2", (x) => log(x).div(Math.LN2));
export const log10 = unary("np.log10", (x) => log(x).div(Math.LN10));
export const exp2 = unary("np.exp2", (x) => exp(multiply(x, Math.LN2)));
/** √(x² + y²). */
export const hypot = binary("np.hypot", (x, y) => {
  const [a, b] = align("hypot", promoteToFloat("hypot", [x, y])).map((operand) => operand.abs());
  const [large, small] = [maximum(a, b), minimum(a, b)];
  // Scaled by the larger one, so that squares neither overflow nor vanish.
  const ratio = small.div(where(large.equal(0), 1, large));
  const length = large.mul(sqrt(ratio.mul(ratio).add(1)));
  return where(a.equal(Infinity).or(b.equal(Infinity)), Infinity, length);
});

/** log(exp(x) + exp(y)) without overflow. */
export const logaddexp = realBinary("np.logaddexp", transcendental.logaddexp);
