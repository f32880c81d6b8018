// Reverse mode in two steps: the derivative of a Program, split into the part that computes values and the
// part that is linear in the tangents. Transposing the second gives gradients.
import { fail } from "../core/errors.js";
import { userLocation } from "../core/userCode.js";
import { subPrograms, type Program } from "../core/program.js";
import { jvpProgram } from "./jvp.js";
import { partitionProgram } from "./partition.js";
import { pruneProgram } from "./prune.js";

export interface LinearizedProgram {
  /** Takes the inputs; returns the outputs, then what `linear` needs. */
  readonly values: Program;
  /** Takes that, then tangents of the active inputs; returns tangents of the moving outputs. */
  readonly linear: Program;
  /** Which of the outputs depend on active inputs. */
  readonly moving: readonly boolean[];
}

/**
 * Linearises a program in its `active` inputs; only outputs with `wanted` get tangents. What has no way back is
 * refused, unless the linear part is wanted forwards.
 */
export function linearizeProgram(
  operation: string,
  program: Program,
  active: readonly boolean[],
  wanted: readonly boolean[],
  isForward = false,
): LinearizedProgram {
  const derived = jvpProgram(program, active);
  const moving = derived.moving.map((flag, index) => flag && wanted[index]);
  const values = program.outputs.length;
  let next = values;
  const tangents = derived.moving.map((flag) => (flag ? derived.program.outputs[next++] : undefined));
  const pruned = pruneProgram({
    ...derived.program,
    outputs: [
      ...derived.program.outputs.slice(0, values),
      ...tangents.flatMap((tangent, index) => (moving[index] && tangent ? [tangent] : [])),
    ],
  });
  const parts = partitionProgram(
    pruned,
    pruned.inputs.map((_, index) => index >= program.inputs.length),
    { unknown: pruned.outputs.map((_, index) => index >= values) },
  );
  if (!isForward) refuseForwardOnly(operation, parts.unknown);
  return { values: parts.known, linear: parts.unknown, moving };
}

function refuseForwardOnly(operation: string, program: Program): void {
  for (const equation of program.equations) {
    const reason = equation.primitive.forwardOnly?.(equation.params) ?? null;
    if (reason !== null) {
      const { origin } = equation;
      fail(operation, reason, origin === null ? null : userLocation(origin));
    }
    for (const inner of subPrograms(equation)) refuseForwardOnly(operation, inner);
  }
}
