// Elementwise arithmetic, comparisons, bits and choices.
import { erf, erfInv, logistic } from "./functions.js";
import { float32Fma } from "./fusedMultiply.js";
import { convertNumbers, divided, extreme, negated, truncate, zeroLike } from "./numbers.js";
import { integerPower } from "./powers.js";
import { threefry } from "./randomBits.js";
import { isFloating, one, rules } from "./rule.js";
import { tensor } from "./types.js";
import type { Value, Writer } from "./writer.js";

/** An operation of StableHLO that does just what the primitive does. */
const direct = (name: string) => one((writer, operands) => writer.elementwise(name, operands));

/** The shape of an operation on two operands, of which one may be a scalar. */
const shapeOf = (x: Value, y: Value): Value["shape"] => (x.shape.length > 0 ? x.shape : y.shape);

const comparison = (direction: "EQ" | "NE" | "LT" | "LE") =>
  one((writer, [x, y]) => writer.compare(direction, x, y));

/** What StableHLO has for signed numbers only. */
const signed = (name: string, ofUnsigned: (writer: Writer, x: Value) => Value) =>
  one((writer, [x]) =>
    x.dtype === "uint8" || x.dtype === "uint32" ? ofUnsigned(writer, x) : writer.elementwise(name, [x]),
  );

export const elementwise = rules({
  neg: one((writer, [x]) => negated(writer, x)),
  add: direct("add"),
  sub: one((writer, [x, y]) =>
    x.splat === 0 && !isFloating(x.dtype)
      ? negated(writer, writer.spread(y, shapeOf(x, y)))
      : writer.elementwise("subtract", [x, y]),
  ),
  mul: one((writer, [x, y]) => {
    const sign = x.dtype === "int32" ? [x, y].find(({ splat }) => splat === -1) : undefined;
    return sign === undefined
      ? writer.elementwise("multiply", [x, y])
      : negated(writer, writer.spread(sign === x ? y : x, shapeOf(x, y)));
  }),
  fma: one((writer, operands) => float32Fma(writer, operands)),
  div: one((writer, [x, y]) =>
    divided(writer, "divide", x, y, (shape) => writer.constant(-1, x.dtype, shape)),
  ),
  rem: one((writer, [x, y]) => divided(writer, "remainder", x, y, (shape) => writer.spread(x, shape))),
  pow: one((writer, [x, y]) =>
    isFloating(x.dtype) ? writer.elementwise("power", [x, y]) : integerPower(writer, x, y),
  ),
  max: one((writer, [x, y]) => extreme(writer, true, x, y)),
  min: one((writer, [x, y]) => extreme(writer, false, x, y)),
  relu: one((writer, [x]) => writer.elementwise("maximum", [x, zeroLike(writer, x)])),
  abs: signed("abs", (_, x) => x),
  sign: signed("sign", (writer, x) => writer.convert(writer.compare("NE", x, zeroLike(writer, x)), x.dtype)),
  floor: direct("floor"),
  ceil: direct("ceil"),
  trunc: one((writer, [x]) => truncate(writer, x)),
  round: direct("round_nearest_even"),

  sqrt: direct("sqrt"),
  exp: direct("exponential"),
  expm1: direct("exponential_minus_one"),
  log: direct("log"),
  log1p: direct("log_plus_one"),
  logaddexp: one(logAddExp),
  logistic: one(logistic),
  tanh: direct("tanh"),
  sin: direct("sine"),
  cos: direct("cosine"),
  atan2: direct("atan2"),
  erf,
  erfInv,
  threefry2x32: threefry,

  equal: comparison("EQ"),
  notEqual: comparison("NE"),
  less: comparison("LT"),
  lessEqual: comparison("LE"),
  and: direct("and"),
  or: direct("or"),
  xor: direct("xor"),
  not: direct("not"),
  // Shifts by the width or more leave nothing, or copies of the sign.
  shiftLeft: direct("shift_left"),
  shiftRightLogical: direct("shift_right_logical"),
  shiftRightArithmetic: direct("shift_right_arithmetic"),
  select: one((writer, [predicate, x, y]) => {
    const shape = [x, y, predicate].find((value) => value.shape.length > 0)?.shape ?? [];
    const isOneForAll = predicate.shape.length === 0;
    return writer.select(
      isOneForAll ? predicate : writer.spread(predicate, shape),
      writer.spread(x, shape),
      writer.spread(y, shape),
    );
  }),
  convert: one((writer, [x], { outputs: [output] }) => convertNumbers(writer, x, output.type.dtype)),
  bitcast: one((writer, [x], { outputs: [output] }) =>
    x.dtype === output.type.dtype ? x : writer.op("bitcast_convert", [x], tensor(x.shape, output.type.dtype)),
  ),
});

/** log(exp(x) + exp(y)); equal infinities have no difference. */
function logAddExp(writer: Writer, [x, y]: readonly Value[]): Value {
  const difference = writer.elementwise("abs", [writer.elementwise("subtract", [x, y])]);
  const rest = writer.elementwise("log_plus_one", [
    writer.elementwise("exponential", [writer.elementwise("negate", [difference])]),
  ]);
  const sum = writer.elementwise("add", [writer.elementwise("maximum", [x, y]), rest]);
  const twice = writer.spread(writer.elementwise("add", [x, writer.constant(Math.LN2, x.dtype)]), sum.shape);
  return writer.select(writer.compare("EQ", x, y), twice, sum);
}
