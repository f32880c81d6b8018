// Splitting a branch into one that can run now and one that waits, for reverse mode.
import type { Partitioned } from "../core/primitive.js";
import { newVariable, type Atom, type Equation, type Program, type Variable } from "../core/program.js";
import { traceClosed } from "../core/trace.js";
import { showType, type ArrayType } from "../core/type.js";
import { zeros } from "../primitives/linear.js";
import { partitionProgram, type PartitionedProgram } from "../transforms/partition.js";
import { substitute } from "../transforms/substitute.js";
import type { CondParams } from "./cond.js";
import { anyFlag, pick } from "./lists.js";

/**
 * Each branch leaves the residuals of its own other half in slots that the branches share by type; operands
 * are handed on as they are.
 */
export function partitionCond(equation: Equation, unknown: readonly boolean[]): Partitioned {
  const [indexUnknown, ...operandUnknown] = unknown;
  if (indexUnknown) return { known: [], unknown: [equation] };
  const { branches } = equation.params as CondParams;
  const divide = (force: readonly boolean[]) =>
    branches.map((branch) => partitionProgram(branch, operandUnknown, { unknown: force }));
  const unknownOutputs = anyFlag(divide([]).map((parts) => parts.unknownOutputs));
  const divided = divide(unknownOutputs);
  const [index, ...operands] = equation.inputs as [Atom, ...Atom[]];
  const knownOperands = pick(operands, operandUnknown, false);
  const unknownOperands = pick(operands, operandUnknown);
  const knownResults = pick(equation.outputs, unknownOutputs, false);

  const layout = assignSlots(divided);
  const slots = layout.types.map(newVariable);
  const known: CondParams = {
    branches: divided.map((parts, at) => fillSlots(parts, knownResults.length, layout, at)),
  };
  const waiting: CondParams = {
    branches: divided.map((parts, at) => readSlots(parts, layout, at)),
  };
  return {
    known: [
      { ...equation, params: known, inputs: [index, ...knownOperands], outputs: [...knownResults, ...slots] },
    ],
    unknown: [
      {
        ...equation,
        params: waiting,
        inputs: [index, ...knownOperands, ...slots, ...unknownOperands],
        outputs: pick(equation.outputs, unknownOutputs),
      },
    ],
  };
}

interface SlotLayout {
  readonly types: readonly ArrayType[];
  /** For each branch, the residual in each slot. */
  readonly residuals: readonly (readonly (Variable | undefined)[])[];
}

/** Gives every computed residual of every branch a slot of its type. */
function assignSlots(divided: readonly PartitionedProgram[]): SlotLayout {
  const types: ArrayType[] = [];
  const slotsOfType = new Map<string, number[]>();
  const residuals = divided.map(({ residuals: all, known }) => {
    const isOperand = new Set(known.inputs);
    const filled: (Variable | undefined)[] = [];
    const used = new Map<string, number>();
    for (const residual of all.filter((variable) => !isOperand.has(variable))) {
      const type = showType(residual.type);
      const slots = slotsOfType.get(type) ?? [];
      slotsOfType.set(type, slots);
      const next = used.get(type) ?? 0;
      used.set(type, next + 1);
      if (next === slots.length) slots.push(types.push({ ...residual.type, weak: false }) - 1);
      filled[slots[next]] = residual;
    }
    return filled;
  });
  return { types, residuals };
}

/** The known half of a branch, returning its residuals in their slots and zeros in the other branches'. */
function fillSlots(parts: PartitionedProgram, results: number, layout: SlotLayout, at: number): Program {
  const { known } = parts;
  const filled = layout.residuals[at];
  const empty = layout.types.filter((_, slot) => filled[slot] === undefined);
  const blank = substitute(
    traceClosed([], () => empty.map(zeros)),
    [],
  );
  let next = 0;
  const contents = layout.types.map((_, slot) => filled[slot] ?? blank.outputs[next++]);
  return {
    ...known,
    equations: [...known.equations, ...blank.equations],
    outputs: [...known.outputs.slice(0, results), ...contents],
  };
}

/** The waiting half of a branch, taking the known operands, the slots and the unknown operands. */
function readSlots(parts: PartitionedProgram, layout: SlotLayout, at: number): Program {
  const { known, unknown, residuals } = parts;
  const filled = layout.residuals[at];
  const slots = layout.types.map((type, slot) => filled[slot] ?? newVariable(type));
  return { ...unknown, inputs: [...known.inputs, ...slots, ...unknown.inputs.slice(residuals.length)] };
}
