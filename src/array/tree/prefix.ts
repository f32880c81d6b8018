// Values for whole parts of a tree: a tree that may stop early, each of its leaves standing for all below it.
import { describe, fail } from "../core/errors.js";
import { isPlainObject } from "../core/plainObject.js";
import { leafPaths, type Structure } from "./structure.js";

/** Values for a tree: one for all of it, or lists and objects of these with the same outer structure. */
export type Prefix<T> = T | readonly Prefix<T>[] | { readonly [key: string]: Prefix<T> };

/** One value for each leaf of a structure. `what` names the values in errors, `wanted` says what each must be. */
export function spreadPrefix<T>(
  operation: string,
  prefix: unknown,
  structure: Structure,
  isValue: (value: unknown) => value is T,
  what: string,
  wanted: string,
): T[] {
  const visit = (given: unknown, at: Structure, path: string): T[] => {
    if (isValue(given)) return leafPaths(at).map(() => given);
    const refuse = (): never =>
      fail(operation, `${path} must be ${wanted}, or match the tree it belongs to, got ${describe(given)}`);
    switch (at.kind) {
      case "nothing":
        return [];
      case "leaf":
        return refuse();
      case "custom":
        return visit(given, at.children, path);
      case "list":
        if (!globalThis.Array.isArray(given) || given.length !== at.children.length) return refuse();
        return at.children.flatMap((child, index) => visit(given[index], child, `${path}[${index}]`));
      case "object": {
        if (!isPlainObject(given)) return refuse();
        const odd =
          Object.keys(given).find((key) => !at.keys.includes(key)) ?? at.keys.find((key) => !(key in given));
        if (odd !== undefined) {
          fail(
            operation,
            `${path} and the tree it belongs to differ at key ${odd}: it has the keys ` +
              `${Object.keys(given).join(", ")}, the tree ${at.keys.join(", ")}`,
          );
        }
        return at.children.flatMap((child, index) =>
          visit(given[at.keys[index]], child, `${path}.${at.keys[index]}`),
        );
      }
    }
  };
  return visit(prefix, structure, what);
}
