// About how long a device takes for a program: elements computed, products, and meetings with the others.
import type { CondParams } from "../control/cond.js";
import type { ScanParams } from "../control/scanParams.js";
import type { WhileParams } from "../control/while.js";
import { itemSize } from "../core/dtype.js";
import type { Equation, Program } from "../core/program.js";
import { sizeOf } from "../core/shape.js";
import type { DotParams } from "../primitives/dot.js";

/** What things cost a device. */
export interface Costs {
  /** An operation, however small. */
  readonly operation: number;
  /** An element of an elementwise one, and a multiplication in a product. */
  readonly element: number;
  readonly multiplication: number;
  /** A meeting of all devices, and each byte that they exchange. */
  readonly meeting: number;
  readonly byte: number;
}

/** Of devices that are threads, in units of one element. */
const ofThreads: Costs = { operation: 0, element: 1, multiplication: 0.25, meeting: 4000, byte: 0.5 };
/** Iterations of a loop whose number nobody knows. */
export const unknownTurns = 10;

/** Elementwise operations that are more than one instruction, and how many about. */
const instructions: Readonly<Partial<Record<string, number>>> = {
  ...{ threefry2x32: 80, tanh: 16, exp: 14, log: 14, logistic: 18, sin: 24, cos: 24, erfInv: 30, pow: 50 },
  ...{ div: 4, sqrt: 4, rem: 12 },
};

const collectives = new Set(["psum", "pmax", "pmin", "allGather", "psumScatter", "ppermute", "allToAll"]);

/** What a program costs one device. */
export const costOf = (program: Program, costs: Costs = ofThreads): number =>
  program.equations.reduce((sum, equation) => sum + costs.operation + equationCost(equation, costs), 0);

function equationCost({ primitive, params, inputs, outputs }: Equation, costs: Costs): number {
  const elements = outputs.reduce((sum, { type }) => sum + sizeOf(type.shape), 0);
  if (collectives.has(primitive.name)) {
    const bytes = [...inputs, ...outputs].reduce(
      (sum, { type }) => sum + sizeOf(type.shape) * itemSize(type.dtype),
      0,
    );
    return costs.meeting + costs.byte * bytes;
  }
  switch (primitive.name) {
    case "scan": {
      const { body, length } = params as ScanParams;
      return length * costOf(body, costs);
    }
    case "while": {
      const { test, body } = params as WhileParams;
      return unknownTurns * (costOf(test, costs) + costOf(body, costs));
    }
    case "cond":
      return Math.max(...(params as CondParams).branches.map((branch) => costOf(branch, costs)));
    case "dot": {
      const { contract } = params as DotParams;
      const depth = contract[0].reduce((product, axis) => product * inputs[0].type.shape[axis], 1);
      return elements * (costs.element + costs.multiplication * depth);
    }
    case "reduceSum":
    case "reduceMax":
    case "reduceMin":
      return inputs.reduce((sum, { type }) => sum + sizeOf(type.shape), 0) * costs.element;
    default:
      // An instruction more is little beside what it takes to read and write an element.
      return elements * costs.element * (1 + (instructions[primitive.name] ?? 0) / 8);
  }
}
