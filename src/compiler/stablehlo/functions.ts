// Functions of a real variable that StableHLO has none for, or one that overflows on the way.
import { largestErf } from "../math/index.js";
import { writeFormula } from "./formulas.js";
import type { Rule } from "./rule.js";
import type { Value, Writer } from "./writer.js";

/** 1 / (1 + exp(-x)), from exp of -|x|, which cannot overflow. */
export function logistic(writer: Writer, [x]: readonly Value[]): Value {
  const on = (name: string, ...values: readonly Value[]) => writer.elementwise(name, values);
  const [zero, unit] = [writer.constant(0, x.dtype), writer.constant(1, x.dtype)];
  const small = on("exponential", on("negate", on("abs", x)));
  const above = writer.select(writer.compare("GE", x, zero), unit, small);
  return on("divide", above, on("add", small, unit));
}

export const erf: Rule = ({ writer }, _, [x]) => {
  const on = (name: string, ...values: readonly Value[]) => writer.elementwise(name, values);
  const size = on("minimum", on("abs", x), writer.constant(largestErf, x.dtype));
  return writeFormula(writer, "erfFromExp", [x, on("exponential", on("negate", on("multiply", size, size)))]);
};

export const erfInv: Rule = ({ writer }, _, [x]) => {
  const on = (name: string, ...values: readonly Value[]) => writer.elementwise(name, values);
  const unit = writer.constant(1, x.dtype);
  const rest = on("multiply", on("subtract", unit, x), on("add", x, unit));
  return writeFormula(writer, "erfInvFromLog", [x, on("log", rest)]);
};
