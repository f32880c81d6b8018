// shardMap: a function of blocks, run by every device of a mesh, as a function of the arrays that they make up.
import { markEntry } from "../core/userCode.js";
import { checked } from "../core/checked.js";
import { describe, fail } from "../core/errors.js";
import { checkNewAxis, withAxes } from "../core/namedAxes.js";
import { tellNearest } from "../core/nearest.js";
import { isPlainObject } from "../core/plainObject.js";
import { bind } from "../core/trace.js";
import { showType, type ArrayType } from "../core/type.js";
import { shardMap as shardMapPrimitive } from "../control/shardMap.js";
import { rebuild } from "../lax/leaves.js";
import { countAlong, wholeLayout, type Layout, type NamedAxis } from "../sharding/axes.js";
import { axesOf, blockType } from "../sharding/blockDimensions.js";
import { leafPaths, type Structure } from "../tree/structure.js";
import { flattenArguments, nameOf, traceCall, type AnyFunction } from "./functions.js";
import { spreadPrefix, type PrefixRules } from "../tree/prefix.js";

/** What shardMap needs of a Mesh: how devices are arranged. */
export interface MeshAxes {
  readonly axes: readonly NamedAxis[];
}

/** What shardMap needs of a PartitionSpec: what splits each dimension. */
export interface SpecEntries {
  readonly entries: readonly (null | string | readonly string[])[];
}

/** Specs for a tree: one for all arrays, or a tree of these with the same outer structure. */
export type SpecTree = SpecEntries | null | readonly SpecTree[] | { readonly [key: string]: SpecTree };

export interface ShardMapOptions {
  /** The devices, and the names that collectives call their axes by. */
  readonly mesh: MeshAxes;
  /** How the arguments are split into blocks: a PartitionSpec for all, or a list with one entry per argument. */
  readonly inSpecs: SpecTree;
  /** How the blocks that the function returns make up the results. */
  readonly outSpecs: SpecTree;
}

const specRules: PrefixRules<SpecEntries> = {
  isLeaf: (given): given is SpecEntries =>
    typeof given === "object" &&
    given !== null &&
    !isPlainObject(given) &&
    "entries" in given &&
    globalThis.Array.isArray(given.entries),
  words: "a PartitionSpec, PartitionSpec([]) for what every device has all of",
};

/**
 * A function that every device of a mesh runs on its own blocks: `f` takes and returns blocks, and meets the other
 * devices in collectives such as `lax.psum(x, "batch")`. What it closes over, every device has all of. A result whose
 * spec leaves out an axis must be the same on all devices along it: that of the first one counts.
 */
export const shardMap = checked(
  "shardMap",
  2,
  ["mesh", "inSpecs", "outSpecs"],
  <F extends AnyFunction>(f: F, { mesh, inSpecs, outSpecs }: ShardMapOptions): F => {
    const operation = nameOf("shardMap", f);
    const axes = axesOfMesh(operation, mesh);
    const run = (...args: unknown[]): unknown => {
      for (const { name } of axes) checkNewAxis(operation, name);
      const { arrays, structure } = flattenArguments(operation, args);
      if (globalThis.Array.isArray(inSpecs) && inSpecs.length !== args.length) {
        fail(
          operation,
          `inSpecs has ${inSpecs.length} entries, but the function was called with ${args.length} arguments`,
        );
      }
      const types = arrays.map((array) => array.type);
      const inLayouts = layoutsOf(operation, "inSpecs", inSpecs, structure, "argument", types, axes);
      types.forEach((type, index) =>
        checkDivisible(operation, leafPaths(structure)[index], type, inLayouts[index], axes),
      );
      const blocks = types.map((type, index) => blockType(type, inLayouts[index], axes));
      const call = withAxes(axes, () => traceCall(operation, f, structure, blocks));
      const results = call.program.outputs.map(({ type }) => type);
      const outputs = bind(shardMapPrimitive, [...call.captures, ...arrays], {
        axes,
        body: call.program,
        inLayouts: [...call.captures.map(({ ndim }) => wholeLayout(ndim)), ...inLayouts],
        outLayouts: layoutsOf(operation, "outSpecs", outSpecs, call.structure, "result", results, axes),
      });
      return rebuild(call.structure, outputs);
    };
    return markEntry(run, operation) as unknown as F;
  },
);

function axesOfMesh(operation: string, mesh: unknown): readonly NamedAxis[] {
  if (typeof mesh === "object" && mesh !== null && "axes" in mesh && globalThis.Array.isArray(mesh.axes)) {
    return mesh.axes as readonly NamedAxis[];
  }
  return fail(operation, `mesh must be a Mesh, got ${describe(mesh)}`);
}

/** The layout of each array, from specs that may stop early. */
function layoutsOf(
  operation: string,
  option: string,
  specs: unknown,
  structure: Structure,
  what: string,
  types: readonly ArrayType[],
  axes: readonly NamedAxis[],
): Layout[] {
  const paths = leafPaths(structure);
  return spreadPrefix(operation, specs, structure, option, specRules).map(({ entries }, index) => {
    const type = types[index];
    const subject = `${what}${paths[index] === "" ? "" : ` ${paths[index]}`}, ${showType(type)},`;
    if (entries.length > type.shape.length) {
      fail(
        operation,
        `the spec of ${subject} has ${entries.length} entries, more than that has dimensions (${type.shape.length})`,
      );
    }
    const layout = type.shape.map((_, at) => namesOf(entries[at] ?? null));
    checkNames(operation, subject, layout.flat(), axes);
    return layout;
  });
}

const namesOf = (entry: null | string | readonly string[]): readonly string[] =>
  entry === null ? [] : typeof entry === "string" ? [entry] : entry;

function checkNames(
  operation: string,
  subject: string,
  names: readonly string[],
  axes: readonly NamedAxis[],
): void {
  const known = axes.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    fail(
      operation,
      `the spec of ${subject} names an axis ${describe(unknown)} that the mesh has not; ${tellNearest(unknown, known)}`,
    );
  }
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) fail(operation, `the spec of ${subject} names the axis "${twice}" twice`);
}

function checkDivisible(
  operation: string,
  path: string,
  type: ArrayType,
  layout: Layout,
  axes: readonly NamedAxis[],
): void {
  layout.forEach((names, at) => {
    const along = axesOf(names, axes);
    const extent = type.shape[at];
    if (extent % countAlong(along) === 0) return;
    const sizes = along.map(({ name, size }) => `"${name}" (${size})`).join(" and ");
    fail(
      operation,
      `dimension ${at} of argument ${path}, ${showType(type)}, has ${extent} elements, which ${sizes} ` +
        `${along.length === 1 ? "does" : "do"} not divide into equal blocks; pad it, or leave it whole with null`,
    );
  });
}
