// Where the arrays of a compiled function lie: found from what its user says, from its arguments and from its program.
import type { Array } from "../core/array.js";
import { fail } from "../core/errors.js";
import { subPrograms, type Program } from "../core/program.js";
import { spreadPrefix, type Prefix } from "../tree/prefix.js";
import type { Structure } from "../tree/structure.js";
import { countAlong, type Layout, type NamedAxis } from "./axes.js";
import { devices } from "./devices.js";
import type { Mesh } from "./mesh.js";
import { NamedSharding } from "./namedSharding.js";
import { PartitionSpec } from "./partitionSpec.js";
import { ShardedElements } from "./shardedElements.js";

/** Where the arrays of a tree lie: one sharding for all, or a tree of these; null leaves it open. */
export type Shardings = Prefix<NamedSharding | null>;

const isSharding = (value: unknown): value is NamedSharding | null | undefined =>
  value === null || value === undefined || value instanceof NamedSharding;

/** A sharding, or none, for each leaf of a structure. */
export const spreadShardings = (
  operation: string,
  given: unknown,
  structure: Structure,
  path: string,
): (NamedSharding | null)[] =>
  spreadPrefix(operation, given, structure, path, {
    isLeaf: isSharding,
    words: "a NamedSharding, null to leave it open",
  }).map((sharding) => sharding ?? null);

/** Where an array lies that devices have blocks of; null for one that is here. */
export const shardingOf = (array: Array): NamedSharding | null =>
  array.remote instanceof ShardedElements ? array.remote.sharding : null;

/** Makes a mesh of the first devices. */
export type MakeMesh = (shape: readonly number[], axisNames: readonly string[]) => Mesh;

/** The one mesh of all shardings, or of what the program itself asks for; null if it is all for one device. */
export function meshOf(
  operation: string,
  shardings: readonly (NamedSharding | null)[],
  program: Program,
  makeMesh: MakeMesh,
): Mesh | null {
  const meshes = shardings.flatMap((sharding) => (sharding === null ? [] : [sharding.mesh]));
  const [first] = meshes;
  const odd = meshes.find((mesh) => !mesh.equals(first));
  if (odd !== undefined) {
    fail(
      operation,
      `its arrays lie on different meshes, ${first.toString()} and ${odd.toString()}; ` +
        "put them on one with devicePut",
    );
  }
  const asked = first === undefined ? null : first.axes;
  const own = axesIn(program, asked);
  for (const axes of own) {
    if (asked !== null && !sameAxes(axes, asked)) {
      fail(
        operation,
        `its arrays lie on ${showAxes(asked)}, and a constraint or shardMap in it is for ${showAxes(axes)}; use one mesh`,
      );
    }
  }
  if (first !== undefined) return first;
  const [axes] = own;
  if (axes === undefined || countAlong(axes) === 1 || countAlong(axes) > devices().length) return null;
  return makeMesh(
    axes.map(({ size }) => size),
    axes.map(({ name }) => name),
  );
}

const showAxes = (axes: readonly NamedAxis[]): string =>
  `axes ${axes.map(({ name, size }) => `${name} (${size})`).join(", ")}`;

const sameAxes = (a: readonly NamedAxis[], b: readonly NamedAxis[]): boolean => showAxes(a) === showAxes(b);

/** The different arrangements of devices that equations of a program name. */
function axesIn(program: Program, known: readonly NamedAxis[] | null): (readonly NamedAxis[])[] {
  const found = new Map<string, readonly NamedAxis[]>();
  const visit = ({ equations }: Program): void => {
    for (const equation of equations) {
      const { name } = equation.primitive;
      if (name === "shardingConstraint" || name === "shardMap") {
        const { axes } = equation.params as { readonly axes: readonly NamedAxis[] };
        found.set(showAxes(axes), axes);
      }
      if (name !== "shardMap") subPrograms(equation).forEach(visit);
    }
  };
  visit(program);
  if (known !== null) found.delete(showAxes(known));
  return [...found.values()];
}

/** The spec that says what a layout says. */
export const specOf = (layout: Layout): PartitionSpec =>
  PartitionSpec(layout.map((names) => (names.length === 0 ? null : names.length === 1 ? names[0] : names)));
