// Forward-mode differentiation: a Program applied to values together with their tangents.
import type { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { literalArray, walk } from "../core/interpret.js";
import type { Linearized, Tangent } from "../core/primitive.js";
import { typesOf, type Program } from "../core/program.js";
import { replaying, traceClosed } from "../core/trace.js";
import { instantiate } from "../primitives/linear.js";

interface Dual {
  readonly value: Array;
  readonly tangent: Tangent;
}

/** Applies a program to values and tangents; a null tangent is zero. */
export function applyJvp(
  program: Program,
  inputs: readonly Array[],
  tangents: readonly Tangent[],
): Linearized {
  const duals = inputs.map((value, index): Dual => ({ value, tangent: tangents[index] ?? null }));
  const results = walk<Dual>(
    program,
    duals,
    (literal) => ({ value: literalArray(literal), tangent: null }),
    (equation, operands) =>
      replaying(equation, () => {
        const { outputs, tangents: moved } = equation.primitive.jvp(
          operands.map((operand) => operand.value),
          operands.map((operand) => operand.tangent),
          equation.params,
        );
        return outputs.map((value, index) => ({
          value,
          tangent: isFloat(value.dtype) ? (moved[index] ?? null) : null,
        }));
      }),
  );
  return {
    outputs: results.map((result) => result.value),
    tangents: results.map((result) => result.tangent),
  };
}

/** A program that computes another one and its derivative. */
export interface JvpProgram {
  /** Takes the inputs and the tangents of the active ones; returns the outputs and the tangents of the moving ones. */
  readonly program: Program;
  /** Which outputs have a tangent. */
  readonly moving: readonly boolean[];
}

/**
 * The derivative of a program as a program. `active` says which inputs have tangents; outputs named by
 * `force` get a tangent even if it is zero.
 */
export function jvpProgram(
  program: Program,
  active: readonly boolean[],
  force: readonly boolean[] = [],
): JvpProgram {
  const types = typesOf(program.inputs);
  const activeTypes = types.filter((_, index) => active[index]);
  let moving: boolean[] = [];
  const derived = traceClosed([...types, ...activeTypes], (all) => {
    let next = types.length;
    const tangents = active.map((isActive) => (isActive ? all[next++] : null));
    const result = applyJvp(program, all.slice(0, types.length), tangents);
    moving = result.tangents.map((tangent, index) => tangent !== null || (force[index] ?? false));
    const out = result.tangents.map((tangent, index) =>
      moving[index] ? instantiate(tangent, result.outputs[index].type) : null,
    );
    return [...result.outputs, ...out.filter((tangent) => tangent !== null)];
  });
  return { program: derived, moving };
}
