// Functions that StableHLO does not have, by the formulas that all renderers share.
import type { DType } from "../../array/index.js";
import { formulaOf, type BasicOperation, type Term } from "../math/index.js";
import { extreme, truncate } from "./numbers.js";
import { tensor } from "./types.js";
import type { Value, Writer } from "./writer.js";

type Operation = (writer: Writer, inputs: readonly Value[], dtype: DType) => Value;

const direct =
  (name: string): Operation =>
  (writer, inputs) =>
    writer.elementwise(name, inputs);

const comparison =
  (direction: "EQ" | "NE" | "LT" | "LE"): Operation =>
  (writer, [x, y]) =>
    writer.compare(direction, x, y);

const operations: Readonly<Record<BasicOperation, Operation>> = {
  neg: direct("negate"),
  abs: direct("abs"),
  sqrt: direct("sqrt"),
  floor: direct("floor"),
  ceil: direct("ceil"),
  trunc: (writer, [x]) => truncate(writer, x),
  round: direct("round_nearest_even"),
  add: direct("add"),
  sub: direct("subtract"),
  mul: direct("multiply"),
  div: direct("divide"),
  madd: (writer, [x, y, z]) => writer.elementwise("add", [writer.elementwise("multiply", [x, y]), z]),
  max: (writer, [x, y]) => extreme(writer, true, x, y),
  min: (writer, [x, y]) => extreme(writer, false, x, y),
  maxNumber: (writer, [x, y]) => writer.select(writer.compare("LT", x, y), y, x),
  minNumber: (writer, [x, y]) => writer.select(writer.compare("LT", y, x), y, x),
  equal: comparison("EQ"),
  notEqual: comparison("NE"),
  less: comparison("LT"),
  lessEqual: comparison("LE"),
  and: direct("and"),
  or: direct("or"),
  xor: direct("xor"),
  not: direct("not"),
  shiftLeft: direct("shift_left"),
  shiftRightLogical: direct("shift_right_logical"),
  shiftRightArithmetic: direct("shift_right_arithmetic"),
  select: (writer, [predicate, x, y]) => writer.select(predicate, x, y),
  convert: (writer, [x], dtype) => writer.convert(x, dtype),
  bitcast: (writer, [x], dtype) =>
    x.dtype === dtype ? x : writer.op("bitcast_convert", [x], tensor(x.shape, dtype)),
};

/**
 * Writes a formula as a function of the module, once for each type. XLA takes constants that are added one after the
 * other together, so that it must not round by adding a large number and taking it away again, as `exp` does.
 */
export function writeFormula(writer: Writer, name: string, operands: readonly Value[]): Value[] {
  const shape = operands.find((operand) => operand.shape.length > 0)?.shape ?? [];
  const whole = operands.map((operand) => writer.spread(operand, shape));
  const formula = formulaOf(name, whole[0].dtype as DType);
  if (formula === null) throw new Error(`there is no formula for ${name} of ${whole[0].dtype}`);
  const { results, terms } = formula;
  const types = results.map(({ dtype }) => tensor(shape, dtype));
  return writer.call(name, whole, types, (inner, given) => {
    const values = new Map<Term, Value>();
    for (const term of terms) values.set(term, valueOf(term, inner, given, values, shape));
    return results.map((term) => values.get(term) as Value);
  });
}

function valueOf(
  term: Term,
  writer: Writer,
  given: readonly Value[],
  values: ReadonlyMap<Term, Value>,
  shape: Value["shape"],
): Value {
  switch (term.kind) {
    case "operand":
      return given[term.operand];
    case "constant":
      return writer.constant(term.value, term.dtype, shape);
    case "operation": {
      const inputs = term.inputs.map((input) => values.get(input) as Value);
      return operations[term.name](writer, inputs, term.dtype);
    }
  }
}
