// NumPy's elementwise functions: operands of any dtypes and shapes that combine.
import { checked } from "../core/checked.js";
import { Array, type ArrayLike } from "../core/array.js";
import {
  align,
  asArray,
  asBool,
  asFloat,
  asOperand,
  broadcastTo,
  promote,
  promoteNumeric,
  promoteToFloat,
  toDType,
} from "../core/coerce.js";
import { checkDType, isFloat, type DType } from "../core/dtype.js";
import { describe, fail } from "../core/errors.js";
import type { Primitive } from "../core/primitive.js";
import { checkWhole } from "../core/rules.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import * as arithmetic from "../primitives/arithmetic.js";
import { convert } from "../primitives/convert.js";
import * as logic from "../primitives/logic.js";
import { select } from "../primitives/select.js";
import { apply, binary, binaryOf, realBinary, unary, unaryOf, type Unary } from "./operators.js";

// ---- arithmetic ---------------------------------------------------------------------------------------

/** x + y; on bool, or. */
export const add = binaryOf("np.add", arithmetic.add, logic.or);
export const subtract = binaryOf("np.subtract", arithmetic.sub);
/** x · y; on bool, and. */
export const multiply = binaryOf("np.multiply", arithmetic.mul, logic.and);
/** True division: integers give floats. */
export const divide = realBinary("np.divide", arithmetic.div);
export const trueDivide = divide;
export const negative = unaryOf("np.negative", arithmetic.neg);
export const abs = unary("np.abs", (x) => {
  const array = asArray("abs", x);
  return array.dtype === "bool" ? array : bindOne(arithmetic.abs, [array], {});
});
export const absolute = abs;
export const sign = unaryOf("np.sign", arithmetic.sign);
export const maximum = binaryOf("np.maximum", arithmetic.max);
export const minimum = binaryOf("np.minimum", arithmetic.min);

/** The remainder with the sign of the divisor, as Python's %; of an integer and 0 it is 0. */
export const mod = binary("np.mod", (x, y) => {
  const [a, b] = align("mod", promoteNumeric("mod", [x, y])) as [Array, Array];
  const divisor = isFloat(b.dtype) || isKnownNonzero(y) ? b : where(b.equal(0), 1, b);
  const rest = bindOne(arithmetic.rem, [a, divisor], {});
  return where(onWrongSide(rest, divisor), rest.add(divisor), rest);
});
export const remainder = mod;

/** The quotient rounded down, as Python's //; dividing by 0 gives infinities, and of integers what JAX gives. */
export const floorDivide = binary("np.floorDivide", (x, y) => {
  const [a, b] = align("floorDivide", promoteNumeric("floorDivide", [x, y])) as [Array, Array];
  const rest = bindOne(arithmetic.rem, [a, b], {});
  const isBelow = onWrongSide(rest, b);
  if (isFloat(a.dtype)) {
    // Without the remainder the division is exact where a / b would round up.
    const whole = isKnownNonzero(y) ? a.sub(rest) : where(b.equal(0), a, a.sub(rest));
    const quotient = roundToWhole(divide(whole, b));
    return where(isBelow, quotient.sub(1), quotient);
  }
  const quotient = bindOne(arithmetic.div, [a, b], {});
  const lessOne = quotient.sub(1);
  if (isKnownNonzero(y) || a.dtype !== "int32") return where(isBelow, lessOne, quotient);
  return where(isBelow.or(b.equal(0).and(a.notEqual(0))), lessOne, quotient);
});

const isKnownNonzero = (divisor: ArrayLike): boolean => typeof divisor === "number" && divisor !== 0;

/** Where a remainder is not zero and has not the sign of the divisor. */
const onWrongSide = (rest: Array, divisor: Array): Array =>
  rest.notEqual(0).and(rest.less(0).notEqual(divisor.less(0)));

/** x to the power y; a small whole number y becomes multiplications. */
export const power = binary("np.power", (x, y) => {
  if (typeof y === "number" && Number.isInteger(y) && Math.abs(y) <= 32) {
    return integerPower(promoteNumeric("power", [asOperand("power", x)])[0], y);
  }
  return apply(arithmetic.pow, promoteNumeric("power", [x, y]));
});
export const pow = power;

function integerPower(x: Array, exponent: number): Array {
  if (exponent < 0) return inversePower(isFloat(x.dtype) ? x : astype(x, "float32"), -exponent);
  if (exponent === 0) return broadcastTo("power", toDType("power", 1, x.dtype), x.shape);
  let result: Array | null = null;
  for (let square = x, left = exponent; ; square = square.mul(square)) {
    if (left % 2 === 1) result = result === null ? square : result.mul(square);
    left = Math.floor(left / 2);
    if (left === 0) return result as Array;
  }
}

/** 1 / x^exponent; where that is 0 or infinite as (1 / x)^exponent, whose derivative is too and not NaN. */
function inversePower(x: Array, exponent: number): Array {
  if (exponent === 1) return divide(1, x);
  const power = integerPower(x, exponent);
  const isExtreme = power.equal(0).or(isinf(power));
  const usual = divide(1, integerPower(where(isExtreme, 1, x), exponent));
  return where(isExtreme, integerPower(divide(1, where(isExtreme, x, 1)), exponent), usual);
}

export const square = unary("np.square", (x) => {
  const [array] = promoteNumeric("square", [asArray("square", x)]);
  return array.mul(array);
});
/** 1 / x. */
export const reciprocal = unary("np.reciprocal", (x) => divide(1, x));

function checkBound(name: string, bound: unknown): void {
  const isFine = bound === null || bound instanceof Array || ["number", "boolean"].includes(typeof bound);
  if (!isFine) fail("np.clip", `${name} must be an array, a number or null, got ${describe(bound)}`);
}

/** x limited to [min, max]; null for no limit. */
export const clip = checked(
  "np.clip",
  3,
  (x: ArrayLike, min: ArrayLike | null = null, max: ArrayLike | null = null): Array => {
    checkBound("min", min);
    checkBound("max", max);
    const raised = min === null ? asArray("clip", x) : maximum(x, min);
    return max === null ? raised : minimum(raised, max);
  },
);

const rounding = (name: string, primitive: Primitive): Unary =>
  unary(name, (x) => {
    const array = asArray(primitive.name, x);
    return isFloat(array.dtype) ? bindOne(primitive, [array], {}) : array;
  });
export const floor = rounding("np.floor", arithmetic.floor);
export const ceil = rounding("np.ceil", arithmetic.ceil);
export const trunc = rounding("np.trunc", arithmetic.trunc);
const roundToWhole = rounding("np.round", arithmetic.round);

/** To the nearest multiple of 10^-decimals, halves to even. */
export const round = checked("np.round", 2, (x: ArrayLike, decimals = 0): Array => {
  checkWhole("round", "decimals", decimals);
  const array = asArray("round", x);
  if (decimals < 0 && !isFloat(array.dtype)) {
    fail(
      "round",
      `cannot round ${showType(array.type)} to tens or hundreds; convert with .astype("float32")`,
    );
  }
  if (decimals === 0 || !isFloat(array.dtype)) return roundToWhole(array);
  const factor = 10 ** decimals;
  return divide(roundToWhole(multiply(x, factor)), factor);
});

// ---- comparison and logic -----------------------------------------------------------------------------

export const equal = binaryOf("np.equal", logic.equal);
export const notEqual = binaryOf("np.notEqual", logic.notEqual);
export const less = binaryOf("np.less", logic.less);
export const lessEqual = binaryOf("np.lessEqual", logic.lessEqual);
export const greater = binary("np.greater", (x, y) => less(y, x));
export const greaterEqual = binary("np.greaterEqual", (x, y) => lessEqual(y, x));

export const bitwiseAnd = binaryOf("np.bitwiseAnd", logic.and);
export const bitwiseOr = binaryOf("np.bitwiseOr", logic.or);
export const bitwiseXor = binaryOf("np.bitwiseXor", logic.xor);
export const bitwiseNot = unaryOf("np.bitwiseNot", logic.not);
export const invert = bitwiseNot;
export const leftShift = binary("np.leftShift", (x, y) =>
  apply(logic.shiftLeft, promoteNumeric("leftShift", [x, y])),
);
/** Keeps the sign of int32; fills unsigned dtypes with zeros. */
export const rightShift = binary("np.rightShift", (x, y) => {
  const operands = promoteNumeric("rightShift", [x, y]);
  const isSigned = operands[0].dtype === "int32";
  return apply(isSigned ? logic.shiftRightArithmetic : logic.shiftRightLogical, operands);
});

export const logicalAnd = binary("np.logicalAnd", (x, y) =>
  asBool("logicalAnd", x).and(asBool("logicalAnd", y)),
);
export const logicalOr = binary("np.logicalOr", (x, y) => asBool("logicalOr", x).or(asBool("logicalOr", y)));
export const logicalXor = binary("np.logicalXor", (x, y) =>
  asBool("logicalXor", x).xor(asBool("logicalXor", y)),
);
export const logicalNot = unary("np.logicalNot", (x) => asBool("logicalNot", x).not());

export const isnan = unary("np.isnan", (x) => {
  const array = asArray("isnan", x);
  return array.notEqual(array);
});
export const isinf = unary("np.isinf", (x) => asFloat("isinf", x).abs().equal(Infinity));
export const isfinite = unary("np.isfinite", (x) => {
  const array = asArray("isfinite", x);
  return isFloat(array.dtype) ? array.abs().less(Infinity) : array.equal(array);
});

export interface Closeness {
  readonly rtol?: number;
  readonly atol?: number;
  /** Whether two NaN are close. Default false. */
  readonly equalNan?: boolean;
}

/** |x − y| ≤ atol + rtol·|y|; equal infinities are close. */
export const isclose = checked(
  "np.isclose",
  3,
  ["rtol", "atol", "equalNan"],
  (x: ArrayLike, y: ArrayLike, { rtol = 1e-5, atol = 1e-8, equalNan = false }: Closeness = {}): Array => {
    const [a, b] = align("isclose", promoteToFloat("isclose", [x, y]));
    const near = a.sub(b).abs().lessEqual(b.abs().mul(rtol).add(atol));
    const isClose = near.and(isfinite(b)).or(a.equal(b));
    return equalNan ? isClose.or(isnan(a).and(isnan(b))) : isClose;
  },
);

interface Replacements {
  readonly nan?: number;
  readonly posinf?: number;
  readonly neginf?: number;
}

/** NaN and infinities replaced: by 0 and the largest finite numbers, or as given. */
export const nanToNum = checked(
  "np.nanToNum",
  2,
  ["nan", "posinf", "neginf"],
  (x: ArrayLike, { nan = 0, posinf, neginf }: Replacements = {}): Array => {
    const array = asArray("nanToNum", x);
    if (!isFloat(array.dtype)) return array;
    const largest = array.dtype === "float64" ? Number.MAX_VALUE : 3.4028234663852886e38;
    const bounded = where(array.equal(-Infinity), neginf ?? -largest, array);
    return where(isnan(array), nan, where(array.equal(Infinity), posinf ?? largest, bounded));
  },
);

// ---- choosing and converting --------------------------------------------------------------------------

/** x where the condition holds, y elsewhere. */
export const where = checked("np.where", 3, (condition: ArrayLike, x: ArrayLike, y: ArrayLike): Array => {
  const operands = align("where", [asBool("where", condition), ...promote("where", [x, y])]);
  return bindOne(select, operands, {});
});

/** The elements in another dtype; floats are cut towards zero on the way to integers. */
export const astype = checked("np.astype", 2, (x: ArrayLike, dtype: DType): Array => {
  const array = asArray("astype", x);
  checkDType("astype", dtype);
  return array.dtype === dtype && !array.weakType ? array : bindOne(convert, [array], { dtype });
});
