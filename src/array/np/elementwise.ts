// NumPy's elementwise functions: operands of any dtypes and shapes that combine.
import type { Array } from "../core/array.js";
import { type ArrayLike } from "../core/array.js";
import {
  align,
  asArray,
  asBool,
  asFloat,
  asOperand,
  broadcastTo,
  promote,
  promoteToFloat,
  toDType,
} from "../core/coerce.js";
import { checkDType, isFloat, type DType } from "../core/dtype.js";
import { checkWhole } from "../core/errors.js";
import type { Primitive } from "../core/primitive.js";
import { bindOne } from "../core/trace.js";
import * as arithmetic from "../primitives/arithmetic.js";
import { convert } from "../primitives/convert.js";
import * as logic from "../primitives/logic.js";
import { select } from "../primitives/select.js";
import * as transcendental from "../primitives/transcendental.js";

type Unary = (x: ArrayLike) => Array;
type Binary = (x: ArrayLike, y: ArrayLike) => Array;

const apply = (primitive: Primitive, operands: readonly Array[]): Array =>
  bindOne(primitive, align(primitive.name, operands), {});

const unary =
  (primitive: Primitive): Unary =>
  (x) =>
    bindOne(primitive, [asArray(primitive.name, x)], {});

const realUnary =
  (primitive: Primitive): Unary =>
  (x) =>
    bindOne(primitive, promoteToFloat(primitive.name, [x]), {});

const binary =
  (primitive: Primitive, forBool?: Primitive): Binary =>
  (x, y) => {
    const operands = promote(primitive.name, [x, y]);
    const isBool = operands[0].dtype === "bool";
    return apply(isBool && forBool ? forBool : primitive, operands);
  };

const realBinary =
  (primitive: Primitive): Binary =>
  (x, y) =>
    apply(primitive, promoteToFloat(primitive.name, [x, y]));

// ---- arithmetic ---------------------------------------------------------------------------------------

/** x + y; on bool, or. */
export const add = binary(arithmetic.add, logic.or);
export const subtract = binary(arithmetic.sub);
/** x · y; on bool, and. */
export const multiply = binary(arithmetic.mul, logic.and);
/** True division: integers give floats. */
export const divide = realBinary(arithmetic.div);
export const trueDivide = divide;
export const negative = unary(arithmetic.neg);
export const abs = unary(arithmetic.abs);
export const absolute = abs;
export const sign = unary(arithmetic.sign);
export const maximum = binary(arithmetic.max);
export const minimum = binary(arithmetic.min);

/** The remainder with the sign of the divisor, as Python's %. */
export function mod(x: ArrayLike, y: ArrayLike): Array {
  const [a, b] = align("mod", promote("mod", [x, y])) as [Array, Array];
  const rest = bindOne(arithmetic.rem, [a, b], {});
  return where(onWrongSide(rest, b), rest.add(b), rest);
}
export const remainder = mod;

/** The quotient rounded down, as Python's //. */
export function floorDivide(x: ArrayLike, y: ArrayLike): Array {
  const [a, b] = align("floorDivide", promote("floorDivide", [x, y])) as [Array, Array];
  const rest = bindOne(arithmetic.rem, [a, b], {});
  // For floats the division of what is left without the remainder is exact where a / b would round up.
  const quotient = roundToWhole(bindOne(arithmetic.div, [isFloat(a.dtype) ? a.sub(rest) : a, b], {}));
  return where(onWrongSide(rest, b), quotient.sub(1), quotient);
}

/** Where a remainder is not zero and has not the sign of the divisor. */
const onWrongSide = (rest: Array, divisor: Array): Array =>
  rest.notEqual(0).and(rest.less(0).notEqual(divisor.less(0)));

/** x to the power y; a small whole number y becomes multiplications. */
export function power(x: ArrayLike, y: ArrayLike): Array {
  if (typeof y === "number" && Number.isInteger(y) && Math.abs(y) <= 32) {
    return integerPower(asOperand("power", x), y);
  }
  return apply(arithmetic.pow, promote("power", [x, y]));
}
export const pow = power;

function integerPower(x: Array, exponent: number): Array {
  if (exponent < 0) return divide(1, integerPower(isFloat(x.dtype) ? x : astype(x, "float32"), -exponent));
  if (exponent === 0) return broadcastTo("power", toDType("power", 1, x.dtype), x.shape);
  let result: Array | null = null;
  for (let square = x, left = exponent; ; square = square.mul(square)) {
    if (left % 2 === 1) result = result === null ? square : result.mul(square);
    left = Math.floor(left / 2);
    if (left === 0) return result as Array;
  }
}

export const square: Unary = (x) => {
  const array = asArray("square", x);
  return array.mul(array);
};
/** 1 / x. */
export const reciprocal: Unary = (x) => divide(1, x);

/** x limited to [min, max]; null for no limit. */
export function clip(x: ArrayLike, min: ArrayLike | null, max: ArrayLike | null = null): Array {
  const raised = min === null ? asArray("clip", x) : maximum(x, min);
  return max === null ? raised : minimum(raised, max);
}

const rounding =
  (primitive: Primitive): Unary =>
  (x) => {
    const array = asArray(primitive.name, x);
    return isFloat(array.dtype) ? bindOne(primitive, [array], {}) : array;
  };
export const floor = rounding(arithmetic.floor);
export const ceil = rounding(arithmetic.ceil);
export const trunc = rounding(arithmetic.trunc);
const roundToWhole = rounding(arithmetic.round);

/** To the nearest multiple of 10^-decimals, halves to even. */
export function round(x: ArrayLike, decimals = 0): Array {
  checkWhole("round", "decimals", decimals);
  const array = asArray("round", x);
  if (decimals === 0 || (decimals > 0 && !isFloat(array.dtype))) return roundToWhole(array);
  const factor = 10 ** decimals;
  return divide(roundToWhole(multiply(x, factor)), factor);
}

// ---- functions of a real variable ---------------------------------------------------------------------

export const exp = realUnary(transcendental.exp);
export const expm1 = realUnary(transcendental.expm1);
export const log = realUnary(transcendental.log);
export const log1p = realUnary(transcendental.log1p);
export const sqrt = realUnary(transcendental.sqrt);
export const sin = realUnary(transcendental.sin);
export const cos = realUnary(transcendental.cos);
export const tanh = realUnary(transcendental.tanh);
export const erf = realUnary(transcendental.erf);
export const erfInv = realUnary(transcendental.erfInv);
export const logistic = realUnary(transcendental.logistic);
/** The angle of the point (x, y). */
export const arctan2: Binary = realBinary(transcendental.atan2);

export const tan: Unary = (x) => sin(x).div(cos(x));
export const arctan: Unary = (x) => arctan2(x, 1);
export const arcsin: Unary = (x) => {
  const [value] = promoteToFloat("arcsin", [x]) as [Array];
  return arctan2(value, sqrt(multiply(value.add(1), value.neg().add(1))));
};
export const arccos: Unary = (x) => {
  const [value] = promoteToFloat("arccos", [x]) as [Array];
  return arctan2(sqrt(multiply(value.add(1), value.neg().add(1))), value);
};
export const sinh: Unary = (x) => {
  const value = asFloat("sinh", x);
  // Close to zero the difference of exponentials cancels; far out half of exp overflows later than exp.
  const near = expm1(value).sub(expm1(value.neg())).mul(0.5);
  return where(value.abs().less(1), near, halfExp(value).sub(halfExp(value.neg())));
};
export const cosh: Unary = (x) => {
  const value = asFloat("cosh", x);
  return halfExp(value).add(halfExp(value.neg()));
};
/** exp(x) / 2. */
const halfExp = (x: Array): Array => exp(x.sub(Math.LN2));
export const log2: Unary = (x) => log(x).div(Math.LN2);
export const log10: Unary = (x) => log(x).div(Math.LN10);
export const exp2: Unary = (x) => exp(multiply(x, Math.LN2));
/** √(x² + y²). */
export const hypot: Binary = (x, y) => {
  const [a, b] = align("hypot", promoteToFloat("hypot", [x, y])).map((operand) => operand.abs());
  const [large, small] = [maximum(a, b), minimum(a, b)];
  // Scaled by the larger one, so that squares neither overflow nor vanish.
  const ratio = small.div(where(large.equal(0), 1, large));
  return where(large.equal(Infinity), Infinity, large.mul(sqrt(ratio.mul(ratio).add(1))));
};

/** log(exp(x) + exp(y)) without overflow. */
export const logaddexp: Binary = realBinary(transcendental.logaddexp);

// ---- comparison and logic -----------------------------------------------------------------------------

export const equal = binary(logic.equal);
export const notEqual = binary(logic.notEqual);
export const less = binary(logic.less);
export const lessEqual = binary(logic.lessEqual);
export const greater: Binary = (x, y) => less(y, x);
export const greaterEqual: Binary = (x, y) => lessEqual(y, x);

export const bitwiseAnd = binary(logic.and);
export const bitwiseOr = binary(logic.or);
export const bitwiseXor = binary(logic.xor);
export const bitwiseNot = unary(logic.not);
export const invert = bitwiseNot;
export const leftShift = binary(logic.shiftLeft);
/** Keeps the sign of int32; fills unsigned dtypes with zeros. */
export const rightShift: Binary = (x, y) => {
  const operands = promote("rightShift", [x, y]);
  const isSigned = operands[0].dtype === "int32";
  return apply(isSigned ? logic.shiftRightArithmetic : logic.shiftRightLogical, operands);
};

export const logicalAnd: Binary = (x, y) => asBool("logicalAnd", x).and(asBool("logicalAnd", y));
export const logicalOr: Binary = (x, y) => asBool("logicalOr", x).or(asBool("logicalOr", y));
export const logicalXor: Binary = (x, y) => asBool("logicalXor", x).xor(asBool("logicalXor", y));
export const logicalNot: Unary = (x) => asBool("logicalNot", x).not();

export const isnan: Unary = (x) => {
  const array = asArray("isnan", x);
  return array.notEqual(array);
};
export const isinf: Unary = (x) => asFloat("isinf", x).abs().equal(Infinity);
export const isfinite: Unary = (x) => {
  const array = asArray("isfinite", x);
  return isFloat(array.dtype) ? array.abs().less(Infinity) : array.equal(array);
};

/** |x − y| ≤ atol + rtol·|y|; equal infinities are close. */
export function isclose(
  x: ArrayLike,
  y: ArrayLike,
  { rtol = 1e-5, atol = 1e-8 }: { readonly rtol?: number; readonly atol?: number } = {},
): Array {
  const [a, b] = align("isclose", promoteToFloat("isclose", [x, y]));
  const near = a.sub(b).abs().lessEqual(b.abs().mul(rtol).add(atol));
  return near.and(isfinite(b)).or(a.equal(b));
}

/** NaN and infinities replaced: by 0 and the largest finite numbers, or as given. */
export function nanToNum(
  x: ArrayLike,
  {
    nan = 0,
    posinf = 3.4028234663852886e38,
    neginf = -3.4028234663852886e38,
  }: { readonly nan?: number; readonly posinf?: number; readonly neginf?: number } = {},
): Array {
  const array = asArray("nanToNum", x);
  if (!isFloat(array.dtype)) return array;
  const bounded = where(array.equal(Infinity), posinf, where(array.equal(-Infinity), neginf, array));
  return where(isnan(array), nan, bounded);
}

// ---- choosing and converting --------------------------------------------------------------------------

/** x where the condition holds, y elsewhere. */
export function where(condition: ArrayLike, x: ArrayLike, y: ArrayLike): Array {
  const operands = align("where", [asBool("where", condition), ...promote("where", [x, y])]);
  return bindOne(select, operands, {});
}

/** The elements in another dtype; floats are cut towards zero on the way to integers. */
export function astype(x: ArrayLike, dtype: DType): Array {
  const array = asArray("astype", x);
  checkDType("astype", dtype);
  return array.dtype === dtype && !array.weakType ? array : bindOne(convert, [array], { dtype });
}
