// Taking nested values apart into leaves and a structure, and putting them together again.
import { checked } from "../core/checked.js";
import { fail } from "../core/errors.js";
import { isPlainObject } from "../core/plainObject.js";

/** The shape of a tree without its leaves. */
export type Structure =
  | { readonly kind: "leaf" }
  /** `null` or `undefined`: a place without leaves. */
  | { readonly kind: "nothing"; readonly value: null | undefined }
  | { readonly kind: "list"; readonly children: readonly Structure[] }
  | { readonly kind: "object"; readonly keys: readonly string[]; readonly children: readonly Structure[] }
  | {
      readonly kind: "custom";
      readonly type: CustomNode;
      readonly aux: unknown;
      readonly children: Structure;
    };

/** How instances of a class take part in trees. */
export interface CustomNode<T = unknown> {
  readonly name: string;
  /** The instance as a tree of its array-like parts, and whatever else it takes to rebuild it. */
  readonly flatten: (instance: T) => readonly [children: unknown, aux: unknown];
  readonly unflatten: (children: never, aux: never) => T;
}

type Constructor<T> = abstract new (...args: never[]) => T;

const customNodes = new Map<unknown, CustomNode>();

/** Makes instances of a class inner nodes of trees instead of leaves. */
export const register = checked(
  "tree.register",
  2,
  ["flatten", "unflatten"],
  <T, C, A>(
    type: Constructor<T>,
    rules: {
      readonly flatten: (instance: T) => readonly [children: C, aux: A];
      readonly unflatten: (children: C, aux: A) => T;
    },
  ): void => {
    if (customNodes.has(type)) fail("tree.register", `class ${type.name} is registered already`);
    customNodes.set(type, { name: type.name, ...rules } as unknown as CustomNode);
  },
);

const leaf: Structure = { kind: "leaf" };

/** How a plain value is part of a structure, instead of a leaf. */
class PlainValue implements CustomNode {
  readonly name = "plain value";
  flatten(value: unknown): readonly [null, unknown] {
    return [null, value];
  }
  unflatten(_: null, value: unknown): unknown {
    return value;
  }
}
const plainValue = new PlainValue();
const nothing: Structure = { kind: "nothing", value: null };

/** What transforms pass through as it is: a flag or a name, which no array operation could take. */
export const isFlagOrName = (leaf: unknown): boolean => typeof leaf === "boolean" || typeof leaf === "string";

/** The leaves of a tree in order (object keys sorted), and its structure, of which static values are a part. */
export function flatten(
  node: unknown,
  isStatic: ((leaf: unknown) => boolean) | null = null,
): { readonly leaves: unknown[]; readonly structure: Structure } {
  const leaves: unknown[] = [];
  const visit = (at: unknown): Structure => {
    if (at === null || at === undefined) return { kind: "nothing", value: at };
    if (typeof at === "object") {
      if (globalThis.Array.isArray(at)) return { kind: "list", children: at.map(visit) };
      if (isPlainObject(at)) {
        const keys = Object.keys(at).sort();
        return { kind: "object", keys, children: keys.map((key) => visit(at[key])) };
      }
      const type = customNodes.get(at.constructor);
      if (type !== undefined) {
        const [children, aux] = type.flatten(at);
        return { kind: "custom", type, aux, children: visit(children) };
      }
    } else if (isStatic?.(at) === true) {
      return { kind: "custom", type: plainValue, aux: at, children: nothing };
    }
    leaves.push(at);
    return leaf;
  };
  const structure = visit(node);
  return { leaves, structure };
}

export const countLeaves = (structure: Structure): number => {
  switch (structure.kind) {
    case "leaf":
      return 1;
    case "nothing":
      return 0;
    case "custom":
      return countLeaves(structure.children);
    default:
      return structure.children.reduce((count, child) => count + countLeaves(child), 0);
  }
};

/** A tree of the given structure around the given leaves. */
export function unflatten(structure: Structure, leaves: readonly unknown[]): unknown {
  const count = countLeaves(structure);
  if (count !== leaves.length) {
    fail(
      "tree.unflatten",
      `the structure ${showStructure(structure)} holds ${count} leaves, got ${leaves.length}`,
    );
  }
  let next = 0;
  const build = (at: Structure): unknown => {
    switch (at.kind) {
      case "leaf":
        return leaves[next++];
      case "nothing":
        return at.value;
      case "list":
        return at.children.map(build);
      case "object":
        return Object.fromEntries(at.keys.map((key, index) => [key, build(at.children[index])]));
      case "custom":
        return at.type.unflatten(build(at.children) as never, at.aux as never);
    }
  };
  return build(structure);
}

/** `{a: *, b: [*, null]}`: a structure as text for people, with a star for each leaf. */
export function showStructure(structure: Structure): string {
  switch (structure.kind) {
    case "leaf":
      return "*";
    case "nothing":
      return String(structure.value);
    case "list":
      return `[${structure.children.map(showStructure).join(", ")}]`;
    case "object":
      return `{${structure.keys.map((key, index) => `${key}: ${showStructure(structure.children[index])}`).join(", ")}}`;
    case "custom":
      return `${structure.type.name}${showAux(structure.aux)}(${showStructure(structure.children)})`;
  }
}

const showAux = (aux: unknown): string => (aux === undefined || aux === null ? "" : `<${identify(aux)}>`);

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/**
 * Text that two values share only if they are the same to a program: plain data by what it holds, functions
 * and instances of classes by identity.
 */
export function identify(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "symbol") return `symbol ${symbolNumber(value)}`;
  if (value === null || (typeof value !== "object" && typeof value !== "function")) {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (globalThis.Array.isArray(value)) return `[${value.map(identify).join()}]`;
  if (isPlainObject(value)) {
    return `{${Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${identify(value[key])}`)
      .join()}}`;
  }
  const known = identities.get(value) ?? ++lastIdentity;
  identities.set(value, known);
  return `#${known}`;
}

const symbols = new Map<symbol, number>();
function symbolNumber(value: symbol): number {
  const known = symbols.get(value) ?? symbols.size;
  symbols.set(value, known);
  return known;
}

/** Text that two structures share only if they are equal, classes of the same name told apart. */
export const structureKey = (structure: Structure): string =>
  structure.kind === "custom"
    ? `${identify(structure.type)}${showAux(structure.aux)}(${structureKey(structure.children)})`
    : structure.kind === "list"
      ? `[${structure.children.map(structureKey).join()}]`
      : structure.kind === "object"
        ? `{${structure.children.map((child, index) => `${structure.keys[index]}:${structureKey(child)}`).join()}}`
        : structure.kind === "leaf"
          ? "*"
          : String(structure.value);

/** `.params[0].w` behind a key or index. */
const extendPath = (path: string, key: string | number): string =>
  typeof key === "number"
    ? `${path}[${key}]`
    : /^[A-Za-z_$][\w$]*$/.test(key)
      ? path === ""
        ? key
        : `${path}.${key}`
      : `${path}[${JSON.stringify(key)}]`;

/** The path of every leaf, as in `params.actor[0].w`; a leaf that is the whole tree has the path "". */
export function leafPaths(structure: Structure): string[] {
  const paths: string[] = [];
  const visit = (at: Structure, path: string): void => {
    if (at.kind === "leaf") paths.push(path);
    else if (at.kind === "list") at.children.forEach((child, index) => visit(child, extendPath(path, index)));
    else if (at.kind === "object") {
      at.children.forEach((child, index) => visit(child, extendPath(path, at.keys[index])));
    } else if (at.kind === "custom") visit(at.children, path);
  };
  visit(structure, "");
  return paths;
}

/** Where two structures first differ and how, or null if they are equal. */
export function firstDifference(a: Structure, b: Structure, path = ""): string | null {
  const here = path === "" ? "at the root" : `at ${path}`;
  const differs = (): string => `${here}: ${describe(a)} and ${describe(b)}`;
  if (a.kind === "list" && b.kind === "list") {
    if (a.children.length !== b.children.length) return differs();
    return firstOf(a.children, (child, index) =>
      firstDifference(child, b.children[index], extendPath(path, index)),
    );
  }
  if (a.kind === "object" && b.kind === "object") {
    const missing = a.keys.find((key) => !b.keys.includes(key));
    const extra = b.keys.find((key) => !a.keys.includes(key));
    const odd = missing ?? extra;
    if (odd !== undefined) {
      return `at ${extendPath(path, odd)}: only the ${missing === undefined ? "second" : "first"} tree has this key`;
    }
    return firstOf(a.children, (child, index) =>
      firstDifference(child, b.children[index], extendPath(path, a.keys[index])),
    );
  }
  if (a.kind === "custom" && b.kind === "custom" && a.type === b.type) {
    if (identify(a.aux) !== identify(b.aux))
      return `${here}: ${a.type.name}${showAux(a.aux)} and ${b.type.name}${showAux(b.aux)}`;
    return firstDifference(a.children, b.children, path);
  }
  return a.kind === b.kind && a.kind !== "custom" ? null : differs();
}

function firstOf<T>(list: readonly T[], find: (item: T, index: number) => string | null): string | null {
  for (let index = 0; index < list.length; index++) {
    const found = find(list[index], index);
    if (found !== null) return found;
  }
  return null;
}

function describe(structure: Structure): string {
  switch (structure.kind) {
    case "leaf":
      return "a leaf";
    case "nothing":
      return String(structure.value);
    case "list":
      return `a list of ${structure.children.length}`;
    case "object":
      return `an object with keys ${structure.keys.join(", ") || "(none)"}`;
    case "custom":
      return `a ${structure.type.name}`;
  }
}

/** Refuses trees of different structure, naming the path of the first difference. */
export function checkSameStructure(
  operation: string,
  a: Structure,
  b: Structure,
  what = "trees differ",
): void {
  const difference = firstDifference(a, b);
  if (difference !== null) fail(operation, `${what} ${difference}`);
}
