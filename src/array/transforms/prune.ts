// Dead code: equations that nothing visible depends on.
import { hasEffect, type Atom, type Equation, type Program, type Variable } from "../core/program.js";

/** The program without equations that neither its outputs nor an effect need, inside loops and branches too. */
export function pruneProgram(program: Program): Program {
  const needed = new Set<Variable>();
  const need = (atom: Atom) => {
    if (atom.kind === "variable") needed.add(atom);
  };
  program.outputs.forEach(need);
  const kept: Equation[] = [];
  for (let index = program.equations.length - 1; index >= 0; index--) {
    const equation = program.equations[index];
    const used = equation.outputs.map((output) => needed.has(output));
    if (!used.includes(true) && !hasEffect(equation)) continue;
    const pruned = equation.primitive.prune?.(equation, used) ?? equation;
    pruned.inputs.forEach(need);
    kept.push(pruned);
  }
  return { ...program, equations: kept.reverse() };
}
