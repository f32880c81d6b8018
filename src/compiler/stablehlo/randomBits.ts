// Random bits. XLA takes a tenth of a second for each kernel that draws some, and has one wherever their numbers are used
// unless it is kept from that.
import { sizeOf, type Equation } from "../../array/index.js";
import { writeFormula } from "./formulas.js";
import type { Context, Rule } from "./rule.js";
import { tensor } from "./types.js";
import { sliceOf } from "./views.js";
import type { Value, Writer } from "./writer.js";

/** Kernels draw so many numbers at the least: then most of a program's are one and the same. */
const fewest = 64;
/** More numbers are not worth being written to memory and read again. */
const most = 2 ** 16;

/**
 * What is drawn once, outside of loops, is drawn apart from what is made of it, a power of two of numbers at a time: equal kernels
 * are compiled once. Inside of loops one kernel less in each turn is worth more.
 */
export const threefry: Rule = ({ writer, axes }: Context, { outputs: [{ type }] }: Equation, operands) => {
  const count = sizeOf(type.shape);
  if (!writer.isOutside || axes.length > 0 || count === 0 || count > most)
    return writeFormula(writer, "threefry2x32", operands);
  const drawn = Math.max(fewest, 2 ** Math.ceil(Math.log2(count)));
  const inputs = operands.map((operand) =>
    apart(writer, longer(writer, writer.reshape(writer.spread(operand, type.shape), [count]), drawn)),
  );
  return writeFormula(writer, "threefry2x32", inputs).map((bits) => {
    const all = apart(writer, bits);
    return writer.reshape(drawn === count ? all : sliceOf(writer, all, [0], [count]), type.shape);
  });
};

/** A value that no kernel computes on its way to something else. */
const apart = (writer: Writer, value: Value): Value => writer.same("optimization_barrier", [value]);

/** A list with zeros behind it. */
function longer(writer: Writer, list: Value, length: number): Value {
  const more = length - list.shape[0];
  if (more === 0) return list;
  const type = tensor([length], list.dtype);
  return writer.op(
    "pad",
    [list, writer.constant(0, list.dtype)],
    type,
    `low = [0], high = [${more}], interior = [0]`,
  );
}
