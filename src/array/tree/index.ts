// Trees: nested plain objects and lists whose leaves are arrays, the form of all parameters and states.
import { callBack, markEntry } from "../core/userCode.js";
import { checked } from "../core/checked.js";
import { concreteElements, Array } from "../core/array.js";
import { fail } from "../core/errors.js";
import type { ShapeDtypeStruct } from "../core/shapeDtypeStruct.js";
import type { Device } from "../sharding/devices.js";
import type { Mesh } from "../sharding/mesh.js";
import type { Sharding } from "../sharding/namedSharding.js";
import type { PartitionSpec } from "../sharding/partitionSpec.js";
import { sameShape, showShape } from "../core/shape.js";
import {
  checkSameStructure,
  flatten,
  leafPaths,
  showStructure as showText,
  unflatten as unflattenStructure,
  type Structure,
} from "./structure.js";

export { register, type CustomNode, type Structure } from "./structure.js";

/** `{a: *, b: [*, null]}`: a structure as text for people, with a star for each leaf. */
export const showStructure = checked("tree.showStructure", 1, showText);

/** Instances that are leaves of trees, beside arrays. */
type LeafObject = ShapeDtypeStruct | Sharding | PartitionSpec | Mesh | Device;

/** The type of the leaves of a tree type. */
export type Leaf<T> = T extends Array
  ? Array
  : T extends LeafObject
    ? T
    : T extends null | undefined
      ? never
      : T extends readonly (infer E)[]
        ? Leaf<E>
        : T extends (...args: never[]) => unknown
          ? T
          : T extends object
            ? { [K in keyof T]-?: Leaf<T[K]> }[keyof T]
            : T;

/** A tree type with every leaf replaced by `R`. */
export type MapLeaves<T, R> = T extends Array | LeafObject
  ? R
  : T extends null | undefined
    ? T
    : T extends readonly unknown[]
      ? { [K in keyof T]: MapLeaves<T[K], R> }
      : T extends (...args: never[]) => unknown
        ? R
        : T extends object
          ? { [K in keyof T]: MapLeaves<T[K], R> }
          : R;

/** The leaves in order: object keys sorted, lists from front to back. */
export const leaves = checked("tree.leaves", 1, <T>(tree: T): Leaf<T>[] => flatten(tree).leaves as Leaf<T>[]);

/** The structure without the leaves; `unflatten` is the way back. */
export const structure = checked("tree.structure", 1, (tree: unknown): Structure => flatten(tree).structure);

/** A tree of a structure around new leaves. */
export const unflatten = checked(
  "tree.unflatten",
  2,
  <T = unknown>(of: Structure, newLeaves: readonly unknown[]): T => unflattenStructure(of, newLeaves) as T,
);

type LeavesOf<Trees extends readonly unknown[]> = { [K in keyof Trees]: Leaf<Trees[K]> };

/** A tree of the same structure with `f` applied to the leaves; further trees give `f` further arguments. */
export const map = markEntry(
  <T, R, Rest extends readonly unknown[]>(
    f: (leaf: Leaf<NoInfer<T>>, ...rest: LeavesOf<Rest>) => R,
    tree: T,
    ...rest: Rest
  ): MapLeaves<T, R> => {
    const { structure: form, rows } = zipLeaves("tree.map", [tree, ...rest]);
    const results = callBack(() => rows.map((row) => f(...(row as [Leaf<T>, ...LeavesOf<Rest>]))));
    return unflattenStructure(form, results) as MapLeaves<T, R>;
  },
  "tree.map",
);

/** `map` whose function gets the leaf's path first, as in `params.actor[0].w`. */
export const mapWithPath = markEntry(
  <T, R, Rest extends readonly unknown[]>(
    f: (path: string, leaf: Leaf<NoInfer<T>>, ...rest: LeavesOf<Rest>) => R,
    tree: T,
    ...rest: Rest
  ): MapLeaves<T, R> => {
    const { structure: form, rows } = zipLeaves("tree.mapWithPath", [tree, ...rest]);
    const paths = leafPaths(form);
    const results = callBack(() =>
      rows.map((row, index) => f(paths[index], ...(row as [Leaf<T>, ...LeavesOf<Rest>]))),
    );
    return unflattenStructure(form, results) as MapLeaves<T, R>;
  },
  "tree.mapWithPath",
);

/** The leaves that stand at the same place of several trees, place by place. */
function zipLeaves(
  operation: string,
  trees: readonly unknown[],
): { structure: Structure; rows: unknown[][] } {
  const flat = trees.map((tree) => flatten(tree));
  const [first] = flat as [(typeof flat)[number]];
  for (const other of flat.slice(1)) checkSameStructure(operation, first.structure, other.structure);
  return {
    structure: first.structure,
    rows: first.leaves.map((_, index) => flat.map((tree) => tree.leaves[index])),
  };
}

/** All leaves combined one after the other, starting from `initial`. */
export const reduce = checked(
  "tree.reduce",
  3,
  <T, R>(f: (total: R, leaf: Leaf<NoInfer<T>>) => R, tree: T, initial: R): R =>
    callBack(() => leaves(tree).reduce((total, leaf) => f(total, leaf), initial)),
);

/** Whether two trees of concrete arrays have equal structure and nearly equal leaves: |a − b| ≤ atol + rtol·|b|. */
export const allClose = checked(
  "tree.allClose",
  3,
  ["rtol", "atol"],
  <T>(
    a: T,
    b: T,
    { rtol = 1e-5, atol = 1e-8 }: { readonly rtol?: number; readonly atol?: number } = {},
  ): boolean => {
    const first = flatten(a);
    const second = flatten(b);
    checkSameStructure("tree.allClose", first.structure, second.structure);
    const paths = leafPaths(first.structure);
    return first.leaves.every((leaf, index) => {
      const [x, y] = [elementsOf(leaf), elementsOf(second.leaves[index])];
      if (!sameShape(x.shape, y.shape)) {
        fail(
          "tree.allClose",
          `leaves at ${paths[index]} have shapes ${showShape(x.shape)} and ${showShape(y.shape)}`,
        );
      }
      return x.elements.every((value, at) => {
        const other = y.elements[at];
        // Equal infinities are close; their difference would be NaN.
        return value === other || Math.abs(value - other) <= atol + rtol * Math.abs(other);
      });
    });
  },
);

function elementsOf(leaf: unknown): {
  readonly shape: readonly number[];
  readonly elements: readonly number[];
} {
  if (leaf instanceof Array) {
    return { shape: leaf.shape, elements: globalThis.Array.from(concreteElements(leaf, "tree.allClose")) };
  }
  if (typeof leaf === "number" || typeof leaf === "boolean") return { shape: [], elements: [Number(leaf)] };
  fail("tree.allClose", `leaves must be arrays or numbers, got ${String(leaf)}`);
}
