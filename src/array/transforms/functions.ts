// What the public transforms share: calling user functions with trees of traced arrays.
import { Array, failLeaked } from "../core/array.js";
import { asArray } from "../core/coerce.js";
import { describe, fail } from "../core/errors.js";
import { checkFunction } from "../core/rules.js";
import { traceProgram, type TracedProgram } from "../core/trace.js";
import type { ArrayType } from "../core/type.js";
import { flattenArrays, rebuild, type FlatTree } from "../lax/leaves.js";
import { flatten, isFlagOrName, leafPaths, type Structure } from "../tree/structure.js";

/** Any function. */
export type AnyFunction = (...args: never[]) => unknown;

/** `grad(loss)` for a named function, `grad` for another. */
export function nameOf(transform: string, f: AnyFunction): string {
  checkFunction(transform, "its first argument", f);
  return f.name === "" ? transform : `${transform}(${f.name})`;
}

/** Arguments as arrays, a number on its own as float32; booleans and strings stay what they are. */
export function flattenArguments(
  operation: string,
  args: unknown,
  what = "the arguments",
  hint = "",
): FlatTree {
  const { leaves, structure } = flatten(args, isFlagOrName);
  const arrays = leaves.map((leaf, index) => {
    if (leaf instanceof Array) {
      if (leaf.tracer?.trace.finished === true) failLeaked(leaf, operation);
      return leaf;
    }
    if (typeof leaf === "number") return asArray(operation, leaf);
    const path = leafPaths(structure)[index];
    const place = path === "" ? "" : ` at ${path}`;
    return fail(
      operation,
      `${what} must hold arrays, numbers, booleans and strings only, got ${describe(leaf)}${place}${hint}`,
    );
  });
  return { arrays, structure };
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
    const result = flattenArrays(
      operation,
      f(...rebuild<never[]>(structure, arrays)),
      "the result",
      isFlagOrName,
    );
    returned = result.structure;
    return result.arrays;
  });
  return { ...traced, structure: returned };
}

/** A tree type with its arrays and numbers replaced; what transforms pass through stays. */
export type MapArrays<T, R> = T extends Array | number
  ? R
  : T extends null | undefined | boolean | string
    ? T
    : T extends readonly unknown[]
      ? { [K in keyof T]: MapArrays<T[K], R> }
      : T extends object
        ? { [K in keyof T]: MapArrays<T[K], R> }
        : R;
