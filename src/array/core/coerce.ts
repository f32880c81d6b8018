// From what users pass (arrays, numbers, booleans) to arrays of one dtype and shape.
import { bindOne } from "./trace.js";
import { broadcast } from "../primitives/broadcast.js";
import { convert } from "../primitives/convert.js";
import { Array, type ArrayLike } from "./array.js";
import { convertNumber, integerRange, isFloat, promoteDTypes, type DType, type WeakDType } from "./dtype.js";
import { describe, fail } from "./errors.js";
import { constant, scalar } from "./interpret.js";
import { broadcastShapes, range, sameShape, showShape, type Shape } from "./shape.js";
import { arrayType, showType } from "./type.js";

/** An array for what may be a plain value; a number on its own is float32. */
export function asArray(operation: string, value: unknown): Array {
  if (value instanceof Array) return value;
  if (typeof value === "number") return scalar(value, arrayType([], "float32", true));
  if (typeof value === "boolean") return constant(value ? 1 : 0, "bool");
  refuse(operation, value);
}

function refuse(operation: string, value: unknown): never {
  const hint = globalThis.Array.isArray(value) ? "; wrap it in np.array" : "";
  fail(operation, `expected an array or a number, got ${describe(value)}${hint}`);
}

/** The dtype a value brings into promotion: numbers are weak, and integers when they are whole. */
function dtypeOf(operation: string, value: unknown): WeakDType {
  if (value instanceof Array) return value.type;
  if (typeof value === "boolean") return { dtype: "bool", weak: false };
  if (typeof value === "number") {
    const whole = Number.isInteger(value) && Math.abs(value) <= 0xffffffff && !Object.is(value, -0);
    return { dtype: whole ? "int32" : "float32", weak: true };
  }
  refuse(operation, value);
}

/** `asArray` for what meets other values later: a whole number stays an integer as long as those are. */
export const asOperand = (operation: string, value: unknown): Array =>
  typeof value === "number"
    ? toDType(operation, value, dtypeOf(operation, value).dtype, true)
    : asArray(operation, value);

/** Operands converted to the dtype in which they meet. */
export function promote(operation: string, operands: readonly ArrayLike[]): Array[] {
  const target = promoteDTypes(operands.map((operand) => dtypeOf(operation, operand)));
  return operands.map((operand) => toDType(operation, operand, target.dtype, target.weak));
}

/** `promote` for arithmetic that bool has none of: it counts as int32. */
export function promoteNumeric(operation: string, operands: readonly ArrayLike[]): Array[] {
  const arrays = promote(operation, operands);
  return arrays[0]?.dtype === "bool" ? arrays.map((array) => toDType(operation, array, "int32")) : arrays;
}

/** `promote`, to float32 where no operand is a float. */
export function promoteToFloat(operation: string, operands: readonly ArrayLike[]): Array[] {
  const { dtype, weak } = promoteDTypes(operands.map((operand) => dtypeOf(operation, operand)));
  const target: DType = isFloat(dtype) ? dtype : "float32";
  return operands.map((operand) => toDType(operation, operand, target, weak));
}

/** One operand in a given dtype. */
export function toDType(operation: string, operand: ArrayLike, dtype: DType, weak = false): Array {
  if (operand instanceof Array) {
    return operand.dtype === dtype ? operand : bindOne(convert, [operand], { dtype, weak });
  }
  if (typeof operand !== "number" && typeof operand !== "boolean") refuse(operation, operand);
  return scalar(fitNumber(operation, Number(operand), dtype), arrayType([], dtype, weak));
}

/** A plain number as an element of a dtype: fractions are cut, what is out of range is refused. */
export function fitNumber(operation: string, value: number, dtype: DType): number {
  if (isFloat(dtype) || dtype === "bool") return convertNumber(value, "float64", dtype);
  const [low, high] = integerRange(dtype);
  const whole = Math.trunc(value);
  if (!(whole >= low && whole <= high))
    fail(operation, `${value} does not fit ${dtype}, which holds ${low} to ${high}`);
  return whole;
}

/** An array as it is, or as bool: whether its elements are not zero. */
export function asBool(operation: string, value: unknown): Array {
  const array = asArray(operation, value);
  return array.dtype === "bool" ? array : array.notEqual(0);
}

/** One operand as a float: itself, or float32. */
export const asFloat = (operation: string, value: ArrayLike): Array => promoteToFloat(operation, [value])[0];

/** An array repeated to a larger shape by NumPy's rule. */
export function broadcastTo(operation: string, array: Array, shape: Shape): Array {
  if (sameShape(array.shape, shape)) return array;
  const lead = shape.length - array.ndim;
  const fits =
    lead >= 0 && array.shape.every((extent, axis) => extent === 1 || extent === shape[lead + axis]);
  if (!fits) fail(operation, `${showType(array.type)} does not broadcast to ${showShape(shape)}`);
  return bindOne(broadcast, [array], { shape, axes: range(array.ndim, lead) });
}

/** Operands of one shape, as elementwise primitives want them: scalars may stay scalars. */
export function align(operation: string, operands: readonly Array[]): readonly Array[] {
  const shaped = operands.find((operand) => operand.ndim > 0);
  if (shaped === undefined) return operands;
  if (operands.every(({ ndim, shape }) => ndim === 0 || sameShape(shape, shaped.shape))) return operands;
  const shape = broadcastShapes(operation, ...operands.map((operand) => operand.shape));
  return operands.map((operand) => (operand.ndim === 0 ? operand : broadcastTo(operation, operand, shape)));
}
