// What the public transforms share: calling user functions with trees of traced arrays.
import type { Array } from "../core/array.js";
import { asArray } from "../core/coerce.js";
import { checkFunction } from "../core/errors.js";
import { traceProgram, type TracedProgram } from "../core/trace.js";
import type { ArrayType } from "../core/type.js";
import { flattenArrays, rebuild, type FlatTree } from "../lax/leaves.js";
import { flatten, type Structure } from "../tree/structure.js";

/** Any function. */
export type AnyFunction = (...args: never[]) => unknown;

/** `grad(loss)` for a named function, `grad` for another. */
export function nameOf(transform: string, f: AnyFunction): string {
  checkFunction(transform, "its first argument", f);
  return f.name === "" ? transform : `${transform}(${f.name})`;
}

/** Arguments as arrays; a number on its own is float32. */
export function flattenArguments(operation: string, args: unknown, what = "the arguments"): FlatTree {
  const numbersAsArrays = flatten(args);
  const leaves = numbersAsArrays.leaves.map((leaf) =>
    typeof leaf === "number" ? asArray(operation, leaf) : leaf,
  );
  return flattenArrays(operation, rebuild(numbersAsArrays.structure, leaves as Array[]), what);
}

/** A recorded call: the program, what it captured, and the structure of what it returned. */
export interface TracedCall extends TracedProgram {
  readonly structure: Structure;
}

/** Records `f` applied to arguments of the given structure and types. */
export function traceCall(
  operation: string,
  f: AnyFunction,
  structure: Structure,
  types: readonly ArrayType[],
): TracedCall {
  let returned: Structure = structure;
  const traced = traceProgram(operation, types, (arrays) => {
    const result = flattenArrays(operation, f(...rebuild<never[]>(structure, arrays)), "the result");
    returned = result.structure;
    return result.arrays;
  });
  return { ...traced, structure: returned };
}
