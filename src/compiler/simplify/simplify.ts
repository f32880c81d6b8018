// Simplification: the same results from fewer equations. Known values are computed, repeated work is done
// once, work without effect is dropped, and nothing is rounded differently.
import {
  evaluateLiterals,
  hasEffect,
  newLiteral,
  pruneProgram,
  type Atom,
  type Equation,
  type Literal,
  type Program,
  type Variable,
} from "../../array/index.js";
import { entryOf } from "../primitives/index.js";
import { improve } from "./loops.js";
import { rewrite, type Replacement } from "./rewrite.js";

/** A program that computes the same with less. */
export function simplifyProgram(program: Program): Program {
  const names = new Map<Variable, Atom>();
  const rename = (atom: Atom): Atom => (atom.kind === "variable" ? (names.get(atom) ?? atom) : atom);
  const definitions = new Map<Variable, Equation>();
  const seen = new Map<string, readonly Variable[]>();
  const equations: Equation[] = [];
  const add = (original: Equation): void => {
    const equation = names.size === 0 ? original : renameInputs(original, rename);
    if (equation.primitive.subPrograms !== undefined) {
      addWithPrograms(equation);
      return;
    }
    const simpler = fold(equation) ?? rewriteFully(equation, (variable) => definitions.get(variable));
    if (simpler.kind !== "equation") {
      names.set(original.outputs[0], simpler);
      return;
    }
    const kept = simpler.equation;
    const key = identityKey(kept);
    const earlier = key === null ? undefined : seen.get(key);
    if (earlier !== undefined) {
      original.outputs.forEach((output, index) => names.set(output, earlier[index]));
      return;
    }
    if (key !== null) seen.set(key, kept.outputs);
    for (const output of kept.outputs) definitions.set(output, kept);
    equations.push(kept);
  };
  const addWithPrograms = (equation: Equation): void => {
    const improved = improve(equation, simplifyProgram);
    improved.before.forEach(add);
    for (const [variable, atom] of improved.names) names.set(variable, rename(atom));
    if (improved.equation !== null) equations.push(renameInputs(improved.equation, rename));
  };
  program.equations.forEach(add);
  return pruneProgram({ inputs: program.inputs, equations, outputs: program.outputs.map(rename) });
}

/** Rewrites an equation until no rule applies. */
function rewriteFully(equation: Equation, define: (variable: Variable) => Equation | undefined): Replacement {
  for (let current = equation; ;) {
    const next = rewrite(current, define);
    if (next === null) return { kind: "equation", equation: current };
    if (next.kind !== "equation") return next;
    current = next.equation;
  }
}

/** The equation itself if no input has another name. */
function renameInputs(equation: Equation, rename: (atom: Atom) => Atom): Equation {
  const inputs = equation.inputs.map(rename);
  return inputs.every((atom, at) => atom === equation.inputs[at]) ? equation : { ...equation, inputs };
}

/** The value of an equation on literals alone. */
function fold(equation: Equation): Literal | null {
  const { inputs, outputs } = equation;
  const [output] = outputs;
  const isScalar = outputs.length === 1 && output.type.shape.length === 0;
  const isKnown = inputs.length > 0 && inputs.every((input) => input.kind === "literal");
  if (!isScalar || !isKnown || hasEffect(equation) || entryOf(equation).isCollective) return null;
  return newLiteral(evaluateLiterals(equation), output.type);
}

/** Text that two equations share only if they compute the same; null for those not worth comparing. */
function identityKey(equation: Equation): string | null {
  if (hasEffect(equation)) return null;
  let key = equation.primitive.name;
  for (const atom of equation.inputs) key += ` ${atom.kind === "variable" ? atom.id : literalKey(atom)}`;
  return isEmpty(equation.params) ? key : `${key} ${JSON.stringify(equation.params)}`;
}

const literalKey = ({ type, value }: Literal): string =>
  `${type.dtype}:${Object.is(value, -0) ? "-0" : value}`;

function isEmpty(params: object): boolean {
  for (const _ in params) return false;
  return true;
}
