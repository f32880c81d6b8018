// Working on the leaves of trees of arrays, with the tree's own type in and out.
import { Array, ArrayError, fail, showValue, tree } from "../array/index.js";

/** A tree of arrays: an array, or nested plain objects and lists of arrays. */
export type Tree = object;

/**
 * A tree of the first one's structure whose leaves are `f` of the leaves at the same place. Trees that differ
 * in structure or in the shape of a leaf are refused; `names` says what they are.
 */
export function mapLeaves<T>(
  operation: string,
  names: readonly string[],
  f: (...leaves: Array[]) => Array,
  first: T,
  ...rest: readonly unknown[]
): T {
  try {
    return tree.mapWithPath(
      (path, ...leaves) => {
        checkLeaves(operation, names, path, leaves);
        return f(...leaves);
      },
      first,
      ...rest,
    ) as T;
  } catch (error) {
    // A difference in structure is ours to report.
    if (error instanceof ArrayError && error.operation === "tree.mapWithPath") {
      fail(operation, `${names.join(", ")}: ${error.reason}`);
    }
    throw error;
  }
}

function checkLeaves(
  operation: string,
  names: readonly string[],
  path: string,
  leaves: readonly unknown[],
): asserts leaves is readonly Array[] {
  const [first] = leaves;
  const place = path === "" ? "" : ` at ${path}`;
  leaves.forEach((leaf, index) => {
    if (!(leaf instanceof Array)) {
      fail(operation, `${names[index]} must hold arrays only, got ${showValue(leaf)}${place}`);
    }
    if (!(first instanceof Array) || leaf.shape.join() === first.shape.join()) return;
    fail(
      operation,
      `${names[0]} and ${names[index]} differ in shape${place}: ${showValue(first)} and ${showValue(leaf)}`,
    );
  });
}

/** The leaves of a tree, which must all be arrays. */
export function arrayLeaves(operation: string, name: string, of: unknown): readonly Array[] {
  const leaves: unknown[] = tree.leaves(of);
  leaves.forEach((leaf) => {
    if (!(leaf instanceof Array)) fail(operation, `${name} must hold arrays only, got ${showValue(leaf)}`);
  });
  return leaves as Array[];
}
