// Trees of arrays at the border between user functions and primitives.
import { Array } from "../core/array.js";
import { asOperand, toDType } from "../core/coerce.js";
import { promoteDTypes } from "../core/dtype.js";
import { describe, fail } from "../core/errors.js";
import { sameShape } from "../core/shape.js";
import { showType, type ArrayType } from "../core/type.js";
import { flatten, leafPaths, unflatten, type Structure } from "../tree/structure.js";

/** A tree as the list of its arrays. */
export interface FlatTree {
  readonly arrays: Array[];
  readonly structure: Structure;
}

/**
 * Flattens a tree of arrays, numbers and booleans, all of them data; `what` names the tree in errors. Values for
 * which `isStatic` holds become part of the structure instead.
 */
export function flattenArrays(
  operation: string,
  tree: unknown,
  what: string,
  isStatic: ((leaf: unknown) => boolean) | null = null,
): FlatTree {
  if (tree instanceof Promise) {
    fail(operation, `${what} is a Promise; traced functions must not be async`);
  }
  const { leaves, structure } = flatten(tree, isStatic);
  const arrays = leaves.map((leaf, index) => {
    if (leaf instanceof Array) return leaf;
    if (typeof leaf === "number" || typeof leaf === "boolean") return asOperand(operation, leaf);
    const path = leafPaths(structure)[index];
    fail(
      operation,
      `${what} must hold arrays only, got ${describe(leaf)}${path === "" ? "" : ` at ${path}`}`,
    );
  });
  return { arrays, structure };
}

/** The tree that `flattenArrays` took apart, around other arrays. */
export const rebuild = <T>(structure: Structure, arrays: readonly Array[]): T =>
  unflatten(structure, arrays) as T;

/** What the types of a carry must become, given what the body made of them; the same list if nothing. */
export function carryTypes(
  operation: string,
  before: readonly ArrayType[],
  after: readonly ArrayType[],
  structure: Structure,
): readonly ArrayType[] {
  const next = before.map((type, index) => {
    const result = after[index];
    const meeting = promoteDTypes([type, result]);
    const fits = sameShape(type.shape, result.shape) && (meeting.dtype === type.dtype || type.weak);
    if (!fits || (meeting.dtype !== result.dtype && !result.weak)) {
      const path = leafPaths(structure)[index];
      fail(
        operation,
        `the carry${path === "" ? "" : ` at ${path}`} enters the body as ${showType(type)} and leaves it as ` +
          `${showType(result)}; it must keep its shape and dtype${sameShape(type.shape, result.shape) ? " (convert with astype)" : ""}`,
      );
    }
    const weak = type.weak && result.weak;
    return meeting.dtype === type.dtype && weak === type.weak
      ? type
      : { ...type, dtype: meeting.dtype, weak };
  });
  return next.every((type, index) => type === before[index]) ? before : next;
}

/** Arrays converted to the dtypes of the given types. */
export const convertAll = (
  operation: string,
  arrays: readonly Array[],
  types: readonly ArrayType[],
): Array[] =>
  arrays.map((array, index) => {
    const { dtype, weak } = types[index];
    return toDType(operation, array, dtype, weak);
  });
