// Trees that say something about the leaves of another tree, and may stop early: what they say holds for all below.
import { describe, fail } from "../core/errors.js";
import { leafPaths, type Structure } from "./structure.js";

/** Values for a tree: one for all of it, or lists and objects of these with the same outer structure. */
export type Prefix<T> = T | readonly Prefix<T>[] | { readonly [key: string]: Prefix<T> };

export interface PrefixRules<T> {
  /** Whether it says something, rather than being a tree of what does. */
  readonly isLeaf: (given: unknown) => given is T;
  /** What it must be, as in "must be a number or null". */
  readonly words: string;
  /** A value as it reads in messages. */
  readonly show?: (given: unknown) => string;
}

/** What a tree that may stop early says about each leaf of a structure. `path` names the tree in errors. */
export function spreadPrefix<T>(
  operation: string,
  given: unknown,
  structure: Structure,
  path: string,
  rules: PrefixRules<T>,
): T[] {
  if (rules.isLeaf(given)) return leafPaths(structure).map(() => given);
  const { words, show = describe } = rules;
  const refuse = (): never =>
    fail(operation, `${path} must be ${words}, or match the tree it belongs to, got ${show(given)}`);
  if (structure.kind === "list") {
    if (!globalThis.Array.isArray(given) || given.length !== structure.children.length) return refuse();
    return structure.children.flatMap((child, at) =>
      spreadPrefix(operation, given[at], child, `${path}[${at}]`, rules),
    );
  }
  if (structure.kind === "object") {
    if (typeof given !== "object" || given === null || globalThis.Array.isArray(given)) return refuse();
    const named = given as Record<string, unknown>;
    const unknown = Object.keys(named).find((name) => !structure.keys.includes(name));
    if (unknown !== undefined) {
      fail(
        operation,
        `${path} has a key ${unknown} that the tree has not; it has ${structure.keys.join(", ")}`,
      );
    }
    return structure.children.flatMap((child, at) => {
      const name = structure.keys[at];
      return name in named ? spreadPrefix(operation, named[name], child, `${path}.${name}`, rules) : refuse();
    });
  }
  if (structure.kind === "custom") return spreadPrefix(operation, given, structure.children, path, rules);
  return structure.kind === "nothing" ? [] : refuse();
}
