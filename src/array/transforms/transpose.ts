// Transposition of linear Programs: from cotangents of the outputs those of the inputs, last equation first.
import type { Array } from "../core/array.js";
import { literalArray } from "../core/interpret.js";
import type { Tangent } from "../core/primitive.js";
import type { Atom, Program, Variable } from "../core/program.js";
import { bind, replaying } from "../core/trace.js";

/**
 * Runs a program backwards. Its first inputs are `residuals`, in which it need not be linear; in the rest it
 * is. Returns the cotangent of each of the rest, null where it is zero.
 */
export function applyTranspose(
  program: Program,
  residuals: readonly Array[],
  cotangents: readonly Tangent[],
): Tangent[] {
  const known = new Map<Variable, Array>();
  program.inputs.slice(0, residuals.length).forEach((input, index) => known.set(input, residuals[index]));
  const valueOf = (atom: Atom): Array | null =>
    atom.kind === "literal" ? literalArray(atom) : (known.get(atom) ?? null);

  // What does not depend on the linear inputs runs forwards first.
  for (const { primitive, inputs, params, outputs } of program.equations) {
    const values = inputs.map(valueOf);
    if (values.includes(null)) continue;
    const results = bind(primitive, values as Array[], params);
    outputs.forEach((output, index) => known.set(output, results[index]));
  }

  const totals = new Map<Variable, Array>();
  const accumulate = (atom: Atom, cotangent: Tangent) => {
    if (cotangent === null || atom.kind === "literal" || known.has(atom)) return;
    const before = totals.get(atom);
    totals.set(atom, before === undefined ? cotangent : before.add(cotangent));
  };
  program.outputs.forEach((output, index) => accumulate(output, cotangents[index] ?? null));
  for (let index = program.equations.length - 1; index >= 0; index--) {
    const equation = program.equations[index];
    const { primitive, inputs, params, outputs } = equation;
    const incoming = outputs.map((output) => totals.get(output) ?? null);
    if (incoming.every((cotangent) => cotangent === null)) continue;
    if (primitive.transpose === undefined) {
      throw new Error(
        `${primitive.name} in a linear program has no transpose rule; this is a bug in vibe-rl`,
      );
    }
    const types = inputs.map((input) => input.type);
    const outgoing = replaying(equation, () =>
      primitive.transpose?.(incoming, inputs.map(valueOf), types, params),
    );
    inputs.forEach((input, at) => accumulate(input, outgoing?.[at] ?? null));
  }
  return program.inputs.slice(residuals.length).map((input) => totals.get(input) ?? null);
}
