// About how long a device takes for a program: elements computed, products, and meetings with the others.
import type { CondParams } from "../control/cond.js";
import type { ScanParams } from "../control/scanParams.js";
import type { WhileParams } from "../control/while.js";
import { itemSize } from "../core/dtype.js";
import type { Equation, Program } from "../core/program.js";
import { sizeOf } from "../core/shape.js";
import type { DotParams } from "../primitives/dot.js";

// In units of one element of an elementwise operation.
const meeting = 4000;
const byteExchanged = 0.5;
const multiplication = 0.25;
/** Iterations of a loop whose number nobody knows. */
const unknownTurns = 10;

const collectives = new Set(["psum", "pmax", "pmin", "allGather", "psumScatter", "ppermute", "allToAll"]);

/** What a program costs one device. */
export const costOf = (program: Program): number =>
  program.equations.reduce((sum, equation) => sum + equationCost(equation), 0);

function equationCost({ primitive, params, inputs, outputs }: Equation): number {
  const elements = outputs.reduce((sum, { type }) => sum + sizeOf(type.shape), 0);
  if (collectives.has(primitive.name)) {
    const bytes = [...inputs, ...outputs].reduce(
      (sum, { type }) => sum + sizeOf(type.shape) * itemSize(type.dtype),
      0,
    );
    return meeting + byteExchanged * bytes;
  }
  switch (primitive.name) {
    case "scan": {
      const { body, length } = params as ScanParams;
      return length * costOf(body);
    }
    case "while": {
      const { test, body } = params as WhileParams;
      return unknownTurns * (costOf(test) + costOf(body));
    }
    case "cond":
      return Math.max(...(params as CondParams).branches.map(costOf));
    case "dot": {
      const { contract } = params as DotParams;
      const depth = contract[0].reduce((product, axis) => product * inputs[0].type.shape[axis], 1);
      return elements * (1 + multiplication * depth);
    }
    case "reduceSum":
    case "reduceMax":
    case "reduceMin":
      return inputs.reduce((sum, { type }) => sum + sizeOf(type.shape), 0);
    default:
      return elements;
  }
}
