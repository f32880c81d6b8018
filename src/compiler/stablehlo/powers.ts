// Powers of integers: XLA's own look at six bits of the exponent only.
import { tensor } from "./types.js";
import type { Value, Writer } from "./writer.js";

/** x to the power of y, by squaring. */
export function integerPower(writer: Writer, x: Value, y: Value): Value {
  const shape = x.shape.length > 0 ? x.shape : y.shape;
  const operands = [x, y].map((operand) => writer.spread(operand, shape));
  const known = y.splat;
  if (known !== undefined && known >= 0 && known <= 64) return knownPower(writer, operands[0], known);
  const type = tensor(shape, x.dtype);
  return writer.call(`${x.dtype}Power`, operands, [type], (inner, [base, exponent]) => [
    power(inner, base, exponent),
  ])[0];
}

function knownPower(writer: Writer, x: Value, exponent: number): Value {
  let result: Value | null = null;
  let square = x;
  for (let left = exponent; left > 0; left >>= 1) {
    if (left % 2 === 1) result = result === null ? square : writer.elementwise("multiply", [result, square]);
    if (left > 1) square = writer.elementwise("multiply", [square, square]);
  }
  return result ?? writer.constant(1, x.dtype, x.shape);
}

/** One bit of the exponent after the other. */
function power(writer: Writer, x: Value, exponent: Value): Value {
  const { dtype, shape } = x;
  const number = (value: number) => writer.constant(value, dtype, shape);
  const on = (name: string, ...values: readonly Value[]) => writer.elementwise(name, values);
  const [none, unit] = [number(0), number(1)];
  const isOdd = (value: Value) => writer.compare("NE", on("and", value, unit), none);
  let result: Value = unit;
  let square = x;
  let left = exponent;
  for (let bit = 0; bit < (dtype === "uint8" ? 8 : 32); bit++) {
    result = writer.select(isOdd(left), on("multiply", result, square), result);
    square = on("multiply", square, square);
    left = on("shift_right_logical", left, unit);
  }
  if (dtype !== "int32") return result;
  // Below zero the inverse, which is a whole number for 1 and -1 only.
  const sign = writer.select(isOdd(exponent), number(-1), unit);
  const ofMinusOne = writer.select(writer.compare("EQ", x, number(-1)), sign, none);
  const inverse = writer.select(writer.compare("EQ", x, unit), unit, ofMinusOne);
  return writer.select(writer.compare("LT", exponent, none), inverse, result);
}
