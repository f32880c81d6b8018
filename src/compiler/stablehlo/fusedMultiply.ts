// x · y + z rounded once, which StableHLO has no operation for: in double precision, rounded to odd on the way.
import { tensor } from "./types.js";
import type { Value, Writer } from "./writer.js";

/** The product is exact in double precision; where the sum is not, an odd last bit makes the last rounding right. */
export function float32Fma(writer: Writer, operands: readonly Value[]): Value {
  const [left, right, addend] = operands;
  // Once or twice a float32 is one again, unless it is too large for it.
  const factor = [left, right].find(({ splat }) => splat === 1 || splat === 2);
  if (factor !== undefined) {
    const other = factor === left ? right : left;
    const product = factor.splat === 1 ? other : writer.elementwise("add", [other, other]);
    return writer.elementwise("add", [product, addend]);
  }
  const shape = operands.find((operand) => operand.shape.length > 0)?.shape ?? [];
  const [x, y, z] = operands.map((operand) => writer.convert(writer.spread(operand, shape), "float64"));
  const on = (name: string, ...values: readonly Value[]) => writer.elementwise(name, values);
  const number = (value: number) => writer.constant(value, "float64", shape);
  const word = (value: number) => writer.constant(value, "uint64", shape);
  const product = on("multiply", x, y);
  const sum = on("add", product, z);
  const part = on("subtract", sum, product);
  const lost = on("add", on("subtract", product, on("subtract", sum, part)), on("subtract", z, part));
  const bits = writer.op("bitcast_convert", [sum], tensor(shape, "uint64"));
  const isEven = writer.compare("EQ", on("and", bits, word(1)), word(0));
  const isInexact = writer.compare("NE", lost, number(0));
  const isFinite = writer.op("is_finite", [sum], tensor(shape, "bool"));
  const isAway = writer.compare(
    "EQ",
    writer.compare("GT", lost, number(0)),
    writer.compare("GT", sum, number(0)),
  );
  const neighbour = writer.select(isAway, on("add", bits, word(1)), on("subtract", bits, word(1)));
  const isMoved = on("and", on("and", isEven, isInexact), isFinite);
  const odd = writer.op(
    "bitcast_convert",
    [writer.select(isMoved, neighbour, bits)],
    tensor(shape, "float64"),
  );
  return writer.convert(odd, "float32");
}
