// Splitting a Program by what it needs: the part that can run now, and the part that waits for the unknown
// inputs. Reverse mode runs the first part and transposes the second.
import type { Partitioned } from "../core/primitive.js";
import { hasEffect, type Atom, type Equation, type Program, type Variable } from "../core/program.js";
import { pruneProgram } from "./prune.js";

export interface PartitionedProgram {
  /** Takes the known inputs; returns the known outputs, then the residuals. */
  readonly known: Program;
  /** Takes the residuals, then the unknown inputs; returns the unknown outputs. */
  readonly unknown: Program;
  /** Which outputs are unknown. */
  readonly unknownOutputs: readonly boolean[];
  /** The variables that the first part computes for the second. */
  readonly residuals: readonly Variable[];
}

interface PartitionOptions {
  /** Outputs that count as unknown even if they could be known. */
  readonly unknown?: readonly boolean[];
  /** On which side effects of known values happen. */
  readonly effects?: "known" | "unknown";
}

/** Splits a program by which of its inputs are unknown. */
export function partitionProgram(
  program: Program,
  unknownInputs: readonly boolean[],
  { unknown: force = [], effects = "known" }: PartitionOptions = {},
): PartitionedProgram {
  const unknown = new Set<Variable>(program.inputs.filter((_, index) => unknownInputs[index]));
  const isUnknown = (atom: Atom): boolean => atom.kind === "variable" && unknown.has(atom);
  const knownEquations: Equation[] = [];
  const unknownEquations: Equation[] = [];
  for (const equation of program.equations) {
    const split =
      effects === "unknown" && hasEffect(equation)
        ? { known: [], unknown: [equation] }
        : partitionEquation(equation, equation.inputs.map(isUnknown));
    knownEquations.push(...split.known);
    unknownEquations.push(...split.unknown);
    for (const part of split.unknown) for (const output of part.outputs) unknown.add(output);
  }
  const unknownOutputs = program.outputs.map((output, index) => isUnknown(output) || (force[index] ?? false));
  const unknownPart = pruneProgram({
    inputs: program.inputs.filter((_, index) => unknownInputs[index]),
    equations: unknownEquations,
    outputs: program.outputs.filter((_, index) => unknownOutputs[index]),
  });
  const residuals = freeVariables(unknownPart);
  return {
    known: pruneProgram({
      inputs: program.inputs.filter((_, index) => !unknownInputs[index]),
      equations: knownEquations,
      outputs: [...program.outputs.filter((_, index) => !unknownOutputs[index]), ...residuals],
    }),
    unknown: { ...unknownPart, inputs: [...residuals, ...unknownPart.inputs] },
    unknownOutputs,
    residuals,
  };
}

function partitionEquation(equation: Equation, unknown: readonly boolean[]): Partitioned {
  if (!unknown.includes(true)) return { known: [equation], unknown: [] };
  return equation.primitive.partition?.(equation, unknown) ?? { known: [], unknown: [equation] };
}

/** The variables a program uses but neither takes nor defines, in order of first use. */
export function freeVariables({ inputs, equations, outputs }: Program): Variable[] {
  const defined = new Set<Variable>(inputs);
  const found = new Set<Variable>();
  const visit = (atom: Atom) => {
    if (atom.kind === "variable" && !defined.has(atom)) found.add(atom);
  };
  for (const equation of equations) {
    equation.inputs.forEach(visit);
    equation.outputs.forEach((output) => defined.add(output));
  }
  outputs.forEach(visit);
  return [...found];
}
