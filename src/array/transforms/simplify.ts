// Simplification: the same results from fewer equations. Known values are computed, repeated work is done
// once, work without effect is dropped, and nothing is rounded differently.
import { evaluatePrimitive, literalArray } from "../core/interpret.js";
import {
  hasEffect,
  newLiteral,
  type Atom,
  type Equation,
  type Literal,
  type Program,
  type Variable,
} from "../core/program.js";
import { pruneProgram } from "./prune.js";
import { rewrite } from "./rewrite.js";

/** A program that computes the same with less. */
export function simplifyProgram(program: Program): Program {
  const names = new Map<Variable, Atom>();
  const rename = (atom: Atom): Atom => (atom.kind === "variable" ? (names.get(atom) ?? atom) : atom);
  const definitions = new Map<Variable, Equation>();
  const seen = new Map<string, readonly Variable[]>();
  const equations: Equation[] = [];
  for (const original of program.equations) {
    const equation = simplifySubPrograms({ ...original, inputs: original.inputs.map(rename) });
    const replacement = fold(equation) ?? rewrite(equation, (variable) => definitions.get(variable));
    if (replacement !== null && replacement.kind !== "equation") {
      names.set(original.outputs[0], replacement);
      continue;
    }
    const kept = replacement?.equation ?? equation;
    const key = identityKey(kept);
    const earlier = key === null ? undefined : seen.get(key);
    if (earlier !== undefined) {
      original.outputs.forEach((output, index) => names.set(output, earlier[index]));
      continue;
    }
    if (key !== null) seen.set(key, kept.outputs);
    for (const output of kept.outputs) definitions.set(output, kept);
    equations.push(kept);
  }
  return pruneProgram({ inputs: program.inputs, equations, outputs: program.outputs.map(rename) });
}

function simplifySubPrograms(equation: Equation): Equation {
  const { primitive, params } = equation;
  const changed = primitive.mapSubPrograms?.(params, simplifyProgram);
  return changed === undefined ? equation : { ...equation, params: changed };
}

/** The value of an equation on literals alone. */
function fold({ primitive, inputs, params, outputs }: Equation): Literal | null {
  const [output] = outputs;
  if (outputs.length !== 1 || output === undefined || output.type.shape.length > 0 || inputs.length === 0)
    return null;
  if (primitive.effect === true || !inputs.every((input) => input.kind === "literal")) return null;
  const [value] = evaluatePrimitive(primitive, inputs.map(literalArray), params, [output.type]);
  const element = value?.elements?.[0];
  return element === undefined ? null : newLiteral(element, output.type);
}

/** Text that two equations share only if they compute the same; null for those not worth comparing. */
function identityKey(equation: Equation): string | null {
  if (equation.primitive.subPrograms !== undefined || hasEffect(equation)) return null;
  const inputs = equation.inputs.map((atom) =>
    atom.kind === "variable"
      ? atom.id
      : `${atom.type.dtype} ${Object.is(atom.value, -0) ? "-0" : atom.value}`,
  );
  return `${equation.primitive.name} ${inputs.join()} ${JSON.stringify(equation.params)}`;
}
