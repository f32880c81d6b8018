// Programs in which whoever needs an array that depends on nothing has one of its own. Where two equations read the same one,
// splitting one of them would split the other, with which it has nothing to do.
import {
  hasEffect,
  mapSubPrograms,
  newVariable,
  subPrograms,
  type Atom,
  type Equation,
  type Program,
  type Variable,
} from "../core/program.js";

/** Numbers that count up and the like: what is made of nothing but literals. */
export function withOwnConstants(program: Program): Program {
  const constant = new Map<Variable, Equation>();
  const equations: Equation[] = [];
  const isConstant = (atom: Atom) => atom.kind === "literal" || constant.has(atom);
  /** A copy of what makes a value, if that is a constant. */
  const own = (atom: Atom): Atom => {
    const made = atom.kind === "variable" ? constant.get(atom) : undefined;
    if (made === undefined) return atom;
    const outputs = made.outputs.map(({ type }) => newVariable(type));
    equations.push({ ...made, inputs: made.inputs.map(own), outputs });
    return outputs[made.outputs.indexOf(atom as Variable)];
  };
  for (const equation of program.equations) {
    const isPlain = subPrograms(equation).length === 0 && !hasEffect(equation);
    if (isPlain && equation.inputs.every(isConstant))
      for (const output of equation.outputs) constant.set(output, equation);
    else equations.push({ ...mapSubPrograms(equation, withOwnConstants), inputs: equation.inputs.map(own) });
  }
  return { ...program, equations, outputs: program.outputs.map(own) };
}
