// Operations on numbers of which StableHLO has a part only, or has it for some dtypes.
import { isFloating } from "./rule.js";
import type { Value, Writer } from "./writer.js";

export const zeroLike = (writer: Writer, { dtype }: Value): Value => writer.constant(0, dtype);

/** The larger or smaller one; of flags, whether one or both are true. NaN wins. */
export const extreme = (writer: Writer, isLargest: boolean, x: Value, y: Value): Value => {
  const ofFlags = isLargest ? "or" : "and";
  const ofNumbers = isLargest ? "maximum" : "minimum";
  return writer.elementwise(x.dtype === "bool" ? ofFlags : ofNumbers, [x, y]);
};

/**
 * -x. Of three negated integers NVIDIA's assembler (CUDA 13.0) takes the extremum at once, and loses a sign: kernels that take
 * one must not see where their numbers are from.
 */
export function negated(writer: Writer, x: Value): Value {
  const result = writer.elementwise("negate", [x]);
  return isFloating(x.dtype) ? result : writer.same("optimization_barrier", [result]);
}

/** Without the fraction; -0.5 becomes -0. */
export function truncate(writer: Writer, x: Value): Value {
  const isNegative = writer.compare("LT", x, zeroLike(writer, x));
  return writer.select(isNegative, writer.elementwise("ceil", [x]), writer.elementwise("floor", [x]));
}

/**
 * A quotient or remainder. For integers, `byZero` is what a division by zero gives: XLA has the same result in mind, but
 * takes x / x for 1 all the same.
 */
export function divided(
  writer: Writer,
  name: "divide" | "remainder",
  x: Value,
  y: Value,
  byZero: (shape: Value["shape"]) => Value,
): Value {
  if (isFloating(x.dtype) || (y.splat !== undefined && y.splat !== 0))
    return writer.elementwise(name, [x, y]);
  const isZero = writer.compare("EQ", y, zeroLike(writer, y));
  const divisor = writer.select(isZero, writer.constant(1, y.dtype, y.shape), y);
  const result = writer.elementwise(name, [x, divisor]);
  return writer.select(writer.spread(isZero, result.shape), byZero(result.shape), result);
}

/** The first float beyond the largest value of each integer dtype, that value, and the smallest one. */
const bounds = {
  int32: { beyond: 2 ** 31, largest: 2 ** 31 - 1, smallest: -(2 ** 31) },
  uint32: { beyond: 2 ** 32, largest: 2 ** 32 - 1, smallest: 0 },
  uint8: { beyond: 256, largest: 255, smallest: 0 },
} as const;

/** Floats become integers by cutting off, stop at the bounds, and are 0 where they are NaN; all but 0 is true. */
export function convertNumbers(writer: Writer, x: Value, dtype: Value["dtype"]): Value {
  if (x.dtype === dtype) return x;
  if (dtype === "bool") return writer.compare("NE", x, zeroLike(writer, x));
  if (!isFloating(x.dtype) || isFloating(dtype)) return writer.convert(x, dtype);
  const { beyond, largest, smallest } = bounds[dtype as keyof typeof bounds];
  const isNumber = writer.compare("EQ", x, x);
  const number = writer.select(isNumber, x, zeroLike(writer, x));
  const raised = writer.elementwise("maximum", [number, writer.constant(smallest, x.dtype)]);
  const isBeyond = writer.compare("GE", raised, writer.constant(beyond, x.dtype));
  const held = writer.select(isBeyond, zeroLike(writer, x), raised);
  return writer.select(isBeyond, writer.constant(largest, dtype), writer.convert(held, dtype));
}
