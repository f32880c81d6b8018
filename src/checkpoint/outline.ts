// What a checkpoint's JSON knows of a tree: its structure, the types of its arrays, and its plain values.
import { Array, tree, type DType, type TypedArray } from "../array/index.js";
import { className, extendPath, isRecord } from "../files/index.js";
import { CheckpointError } from "./errors.js";

/** One place of a tree, as JSON. */
export type Outline =
  | { readonly array: DType; readonly shape: readonly number[]; readonly weak?: true }
  /** A JavaScript typed array, such as the ring of a replay buffer on the host. */
  | { readonly typedArray: Exclude<DType, "bool">; readonly shape: readonly number[] }
  /** Non-finite numbers are texts, since JSON has none. */
  | { readonly number: number | string }
  | { readonly boolean: boolean }
  | { readonly string: string }
  | { readonly nothing: "null" | "undefined" }
  | { readonly list: readonly Outline[] }
  | { readonly object: Readonly<Record<string, Outline>> }
  /** A class of `tree.register`. What it is made of besides arrays comes from the template. */
  | { readonly custom: string; readonly children: Outline };

/** A leaf of a tree and its path. */
export interface NamedLeaf {
  readonly path: string;
  readonly leaf: unknown;
}

/** The leaves with their paths, in the order of `tree.leaves`. */
export function namedLeaves(of: unknown): NamedLeaf[] {
  const found: NamedLeaf[] = [];
  tree.mapWithPath((path: string, leaf: unknown) => void found.push({ path, leaf }), of);
  return found;
}

const storageTypes: readonly (readonly [
  abstract new (...args: never[]) => TypedArray,
  Exclude<DType, "bool">,
])[] = [
  [Float32Array, "float32"],
  [Float64Array, "float64"],
  [Int32Array, "int32"],
  [Uint32Array, "uint32"],
  [Uint8Array, "uint8"],
];

/** A leaf as JSON knows it. */
function outlineLeaf(operation: string, { path, leaf }: NamedLeaf): Outline {
  if (leaf instanceof Array) {
    const { dtype, shape, weakType } = leaf;
    return { array: dtype, shape, ...(weakType && { weak: true }) };
  }
  const storage = storageTypes.find(([type]) => leaf instanceof type);
  if (storage !== undefined) return { typedArray: storage[1], shape: [(leaf as TypedArray).length] };
  if (typeof leaf === "number") {
    return { number: Number.isFinite(leaf) && !Object.is(leaf, -0) ? leaf : showNumber(leaf) };
  }
  if (typeof leaf === "boolean") return { boolean: leaf };
  if (typeof leaf === "string") return { string: leaf };
  const kind =
    typeof leaf === "object" && leaf !== null ? `an object of class ${className(leaf)}` : `a ${typeof leaf}`;
  throw new CheckpointError(
    `${operation}: ${place(path)} is ${kind}; checkpoints hold arrays, typed arrays, numbers, booleans and texts. ` +
      `Leave it out, or make its class part of trees with tree.register`,
  );
}

const showNumber = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

const isPlain = (value: unknown): value is object => {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Refuses a tree that contains itself: it has no end. */
function checkFinite(operation: string, of: unknown, path = "", within: readonly object[] = []): void {
  const isList = globalThis.Array.isArray(of);
  // What is in objects of a class is the affair of whoever registered it.
  if (!isList && !isPlain(of)) return;
  if (within.includes(of))
    throw new CheckpointError(`${operation}: ${place(path)} contains itself; leave it out`);
  for (const [key, value] of Object.entries(of)) {
    checkFinite(operation, value, extendPath(path, isList ? Number(key) : key), [...within, of]);
  }
}

/** The outline of a tree. */
export function outlineOf(operation: string, of: unknown): Outline {
  checkFinite(operation, of);
  const leaves = namedLeaves(of);
  let next = 0;
  const visit = (at: tree.Structure): Outline => {
    switch (at.kind) {
      case "leaf":
        return outlineLeaf(operation, leaves[next++]);
      case "nothing":
        return { nothing: at.value === null ? "null" : "undefined" };
      case "list":
        return { list: at.children.map(visit) };
      case "object":
        return { object: Object.fromEntries(at.keys.map((key, index) => [key, visit(at.children[index])])) };
      case "custom":
        return { custom: at.type.name, children: visit(at.children) };
    }
  };
  return visit(tree.structure(of));
}

const dtypes: readonly unknown[] = ["bool", ...storageTypes.map(([, dtype]) => dtype)];

const isShape = (value: unknown): boolean =>
  globalThis.Array.isArray(value) && value.every((extent) => Number.isSafeInteger(extent) && extent >= 0);

/** Whether JSON is the outline of a tree, as far as reading it depends on that. */
export function isOutline(value: unknown): value is Outline {
  if (!isRecord(value)) return false;
  if ("array" in value) return dtypes.includes(value.array) && isShape(value.shape);
  if ("typedArray" in value) return dtypes.includes(value.typedArray) && isShape(value.shape);
  if ("number" in value) return ["number", "string"].includes(typeof value.number);
  if ("boolean" in value) return typeof value.boolean === "boolean";
  if ("string" in value) return typeof value.string === "string";
  if ("nothing" in value) return value.nothing === "null" || value.nothing === "undefined";
  if ("list" in value) return globalThis.Array.isArray(value.list) && value.list.every(isOutline);
  if ("object" in value) return isRecord(value.object) && Object.values(value.object).every(isOutline);
  return "custom" in value && typeof value.custom === "string" && isOutline(value.children);
}

interface Entry {
  readonly path: string;
  readonly at: Outline;
}

/** Every place of a tree, parents before children, keys in the order of `tree.leaves`. */
function entriesOf(at: Outline, path = ""): Entry[] {
  const own = { path, at };
  if ("list" in at)
    return [own, ...at.list.flatMap((child, index) => entriesOf(child, extendPath(path, index)))];
  if ("custom" in at) return [own, ...entriesOf(at.children, path)];
  if (!("object" in at)) return [own];
  const keys = Object.keys(at.object).sort();
  return [own, ...keys.flatMap((key) => entriesOf(at.object[key], extendPath(path, key)))];
}

/** The leaves of an outline with their paths, in the order of `tree.leaves`. */
export const leavesOf = (outline: Outline): Entry[] =>
  entriesOf(outline).filter(
    ({ at }) => !("list" in at || "object" in at || "custom" in at || "nothing" in at),
  );

const showType = (dtype: DType, shape: readonly number[]): string =>
  shape.length === 0 ? dtype : `${dtype}[${shape.join()}]`;

/** A place of a tree in words. Places that may stand for each other have the same words. */
function describe(at: Outline): string {
  if ("array" in at) return showType(at.array, at.shape);
  if ("typedArray" in at) return `a typed array ${showType(at.typedArray, at.shape)}`;
  if ("nothing" in at) return at.nothing;
  if ("list" in at) return `a list of ${at.list.length}`;
  if ("object" in at) return `an object with keys ${Object.keys(at.object).sort().join(", ") || "(none)"}`;
  if ("custom" in at) return `a ${at.custom}`;
  return `a ${Object.keys(at)[0]}`;
}

const place = (path: string): string => (path === "" ? "the root" : path);

/**
 * Where a saved tree first differs from the template and how; `null` if it fits. With `replicas` the template's
 * arrays may have that leading axis already.
 */
export function firstMisfit(saved: Outline, wanted: Outline, replicas: number | null): string | null {
  const [found, expected] = [entriesOf(saved), entriesOf(wanted)];
  for (const [index, { path, at }] of found.entries()) {
    const other = expected[index].at;
    const fits =
      describe(at) === describe(other) ||
      (replicas !== null &&
        "array" in at &&
        describe({ ...at, shape: [replicas, ...at.shape] }) === describe(other));
    if (fits) continue;
    const odd = oddKey(at, other);
    if (odd !== null) return `at ${extendPath(path, odd.key)}, which only the ${odd.side} has`;
    return `at ${place(path)}: the checkpoint has ${describe(at)}, the template ${describe(other)}`;
  }
  return null;
}

/** What a template asks of a saved tree: without the keys of objects that only the saved one has. */
export function partOf(saved: Outline, wanted: Outline): Outline {
  if ("custom" in saved && "custom" in wanted) {
    return { ...saved, children: partOf(saved.children, wanted.children) };
  }
  if ("list" in saved && "list" in wanted && saved.list.length === wanted.list.length) {
    return { list: saved.list.map((child, index) => partOf(child, wanted.list[index])) };
  }
  if (!("object" in saved) || !("object" in wanted)) return saved;
  const asked = Object.entries(saved.object).filter(([key]) => Object.hasOwn(wanted.object, key));
  return {
    object: Object.fromEntries(asked.map(([key, child]) => [key, partOf(child, wanted.object[key])])),
  };
}

/** The first key that only one of two objects has. */
function oddKey(a: Outline, b: Outline): { readonly key: string; readonly side: string } | null {
  if (!("object" in a) || !("object" in b)) return null;
  const missing = (from: object, by: object) =>
    Object.keys(from)
      .sort()
      .find((key) => !Object.hasOwn(by, key));
  const [saved, wanted] = [missing(a.object, b.object), missing(b.object, a.object)];
  if (saved !== undefined) return { key: saved, side: "checkpoint" };
  return wanted === undefined ? null : { key: wanted, side: "template" };
}
