// What the derivatives share: a recorded function with its values and the linear part of its derivative.
import type { Array } from "../core/array.js";
import { isFloat } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import type { Tangent } from "../core/primitive.js";
import { sameShape } from "../core/shape.js";
import { inline } from "../core/trace.js";
import { showType, type ArrayType } from "../core/type.js";
import { instantiate } from "../primitives/linear.js";
import type { FlatTree } from "../lax/leaves.js";
import { checkSameStructure, leafPaths } from "../tree/structure.js";
import { flattenArguments, type TracedCall } from "./functions.js";
import { linearizeProgram } from "./linearize.js";
import { applyTranspose } from "./transpose.js";

export const typesOfArrays = (arrays: readonly Array[]): ArrayType[] => arrays.map((array) => array.type);

/** Tangents or cotangents for arrays, checked against them. */
export function matchTangents(operation: string, values: FlatTree, given: unknown, what: string): Array[] {
  const tangents = flattenArguments(operation, given, what);
  checkSameStructure(
    operation,
    values.structure,
    tangents.structure,
    `${what} and the values they belong to differ`,
  );
  const paths = leafPaths(values.structure);
  return values.arrays.map((value, index) => {
    const tangent = tangents.arrays[index];
    if (!sameShape(value.shape, tangent.shape)) {
      fail(
        operation,
        `${what} must have the shapes of the values: at ${paths[index] || "the root"} got ${showType(tangent.type)} ` +
          `for ${showType(value.type)}`,
      );
    }
    return isFloat(value.dtype) ? tangent.astype(value.dtype) : tangent;
  });
}

/** A function ready to be differentiated backwards: its results, and the way from cotangents to gradients. */
export interface Pullback {
  readonly outputs: Array[];
  /** Cotangents of the wanted results to those of the active inputs. */
  readonly back: (cotangents: readonly Tangent[]) => Tangent[];
}

/** The values of a function and the part of its derivative that is linear in the tangents. */
export function splitDerivative(
  operation: string,
  { program, captures }: TracedCall,
  inputs: readonly Array[],
  active: readonly boolean[],
  wanted: readonly boolean[],
  isForward = false,
) {
  const { values, linear, moving } = linearizeProgram(
    operation,
    program,
    [...captures.map(() => false), ...active],
    wanted,
    isForward,
  );
  const results = inline(values, [...captures, ...inputs]);
  return {
    outputs: results.slice(0, program.outputs.length),
    residuals: results.slice(program.outputs.length),
    linear,
    moving,
  };
}

export function pullback(
  ...[operation, call, inputs, active, wanted]: Parameters<typeof splitDerivative>
): Pullback {
  const { outputs, residuals, linear, moving } = splitDerivative(operation, call, inputs, active, wanted);
  return {
    outputs,
    back: (cotangents) =>
      applyTranspose(
        linear,
        residuals,
        cotangents.filter((_, index) => moving[index]),
      ),
  };
}

/** One gradient per value: those computed for active ones, zeros for the others. */
export function spreadGradients(
  values: readonly Array[],
  active: readonly boolean[],
  computed: readonly Tangent[],
): Array[] {
  let next = 0;
  return values.map((value, index) =>
    instantiate(active[index] ? (computed[next++] ?? null) : null, value.type),
  );
}
