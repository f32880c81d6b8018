// About how long a device takes for a program: elements computed, products, and meetings with the others.
import type { CondParams } from "../control/cond.js";
import type { ScanParams } from "../control/scanParams.js";
import type { WhileParams } from "../control/while.js";
import { itemSize } from "../core/dtype.js";
import type { Atom, Equation, Program, Variable } from "../core/program.js";
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
  /** Each byte that a product takes from what was gathered, where that lies in memory of all devices; left out for nothing. */
  readonly gathered?: number;
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

/** How often devices meet for an exchange, and how many times its largest array each of them moves. */
const exchanges: Readonly<Partial<Record<string, { readonly meetings: number; readonly moves: number }>>> = {
  ...{ psum: { meetings: 2, moves: 3 }, pmax: { meetings: 2, moves: 3 }, pmin: { meetings: 2, moves: 3 } },
  ...{ psumScatter: { meetings: 1, moves: 2 }, allGather: { meetings: 1, moves: 1 } },
  ...{ ppermute: { meetings: 1, moves: 2 }, allToAll: { meetings: 1, moves: 2 } },
};

const bytesOf = ({ type }: Atom): number => sizeOf(type.shape) * itemSize(type.dtype);

/** What a program costs one device. Exchanges of which none waits for another share their meetings. */
export function costOf({ equations }: Program, costs: Costs = ofThreads): number {
  const met = new Map<Variable, number>();
  const gathered = new Set<Atom>();
  let [sum, meetings] = [0, 0];
  for (const equation of equations) {
    sum += equationCost(equation, costs);
    const { primitive, inputs, outputs } = equation;
    if (primitive.name === "allGather") outputs.forEach((output) => gathered.add(output));
    if (primitive.name === "dot")
      for (const input of inputs) if (gathered.has(input)) sum += (costs.gathered ?? 0) * bytesOf(input);
    const before = inputs.map((input) => (input.kind === "variable" ? (met.get(input) ?? 0) : 0));
    const behind = Math.max(0, ...before) + meetingsOf(equation);
    for (const output of outputs) met.set(output, behind);
    meetings = Math.max(meetings, behind);
  }
  return sum + costs.meeting * meetings;
}

/** Totals of few elements everyone adds up for himself. */
const few = 128;

function meetingsOf({ primitive, outputs }: Equation): number {
  const { meetings } = exchanges[primitive.name] ?? { meetings: 0 };
  return outputs.every(({ type }) => sizeOf(type.shape) <= few) ? Math.min(meetings, 1) : meetings;
}

function equationCost(equation: Equation, costs: Costs): number {
  return isFree(equation) ? 0 : costs.operation + elementsCost(equation, costs);
}

/** Whether an equation only gives another shape to what is there. */
const isFree = ({ primitive }: Equation): boolean => primitive.name === "reshape";

function elementsCost({ primitive, params, inputs, outputs }: Equation, costs: Costs): number {
  const elements = outputs.reduce((sum, { type }) => sum + sizeOf(type.shape), 0);
  const exchange = exchanges[primitive.name];
  if (exchange !== undefined) {
    const largest = Math.max(...[...inputs, ...outputs].map(bytesOf));
    return costs.byte * exchange.moves * largest;
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
    // As a rule the array is not needed any more as it was, and what changes is written there.
    case "dynamicUpdateSlice":
      return sizeOf(inputs[1].type.shape) * costs.element;
    default:
      // An instruction more is little beside what it takes to read and write an element.
      return elements * costs.element * (1 + (instructions[primitive.name] ?? 0) / 8);
  }
}
