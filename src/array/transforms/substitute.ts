// Writing a Program's equations out in another Program, with atoms of that one for its inputs.
import { newVariable, type Atom, type Equation, type Program, type Variable } from "../core/program.js";

/** The equations with inputs replaced and fresh variables, and the atoms that stand for the outputs. */
export function substitute(
  program: Program,
  inputs: readonly Atom[],
): { readonly equations: Equation[]; readonly outputs: Atom[] } {
  const names = new Map<Variable, Atom>();
  program.inputs.forEach((input, index) => names.set(input, inputs[index]));
  const rename = (atom: Atom): Atom => (atom.kind === "variable" ? (names.get(atom) ?? atom) : atom);
  const equations = program.equations.map((equation) => {
    const outputs = equation.outputs.map((output) => newVariable(output.type));
    const renamed = { ...equation, inputs: equation.inputs.map(rename), outputs };
    equation.outputs.forEach((output, index) => names.set(output, outputs[index]));
    return renamed;
  });
  return { equations, outputs: program.outputs.map(rename) };
}
