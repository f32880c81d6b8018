// NumPy's functions of signs, remainders and rounding that C has too.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { align, asArray, asFloat, promote, promoteNumeric, promoteToFloat } from "../core/coerce.js";
import { isFloat } from "../core/dtype.js";
import { bindOne } from "../core/trace.js";
import { rem } from "../primitives/arithmetic.js";
import { abs, floorDivide, isnan, mod, round, where } from "./elementwise.js";
import { binary, unary } from "./operators.js";

/** The remainder with the sign of the dividend, as C's fmod. */
export const fmod = binary("np.fmod", (x, y) =>
  bindOne(rem, align("np.fmod", promoteNumeric("np.fmod", [x, y])), {}),
);

/** The quotient rounded down and the remainder, as Python's divmod. */
export const divmod = checked(
  "np.divmod",
  2,
  (x: ArrayLike, y: ArrayLike): [quotient: Array, remainder: Array] => [floorDivide(x, y), mod(x, y)],
);

/** The nearest whole number as a float, halves to even. */
export const rint = unary("np.rint", (x) => round(asFloat("np.rint", x)));

/** Whether the sign is negative, that of -0 too. */
export const signbit = unary("np.signbit", (x) => {
  const array = asArray("np.signbit", x);
  if (!isFloat(array.dtype)) return array.dtype === "bool" ? array.less(false) : array.less(0);
  // 1 / -0 is -Infinity; NaN has no sign here.
  return array.less(0).or(array.equal(0).and(array.pow(-1).less(0)));
});

/** |x| with the sign of y. */
export const copysign = binary("np.copysign", (x, y) => {
  const [size, sign] = align("np.copysign", promoteToFloat("np.copysign", [x, y])) as [Array, Array];
  const magnitude = abs(size);
  return where(signbit(sign), magnitude.neg(), magnitude);
});

const ignoringNan = (name: string, wins: (x: Array, y: Array) => Array) =>
  binary(name, (x, y) => {
    const [a, b] = align(name, promote(name, [x, y])) as [Array, Array];
    return where(wins(a, b).or(isnan(b)), a, b);
  });

/** The larger of two elements; of NaN and a number the number. */
export const fmax = ignoringNan("np.fmax", (x, y) => x.greater(y));
/** The smaller of two elements; of NaN and a number the number. */
export const fmin = ignoringNan("np.fmin", (x, y) => x.less(y));
