// What the examples of a named vmap, or the devices of a shardMap, do together: sums, exchanges, and who is who.
import type { Array } from "../core/array.js";
import { checked } from "../core/checked.js";
import { describe, fail } from "../core/errors.js";
import { sizeOfAxis } from "../core/namedAxes.js";
import type { Primitive } from "../core/primitive.js";
import { insertAt, normalizeAxis, without } from "../core/shape.js";
import { bind, bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import * as primitives from "../primitives/collectives.js";
import { moveaxis } from "../np/shaping.js";
import { flatten, unflatten } from "../tree/structure.js";
import { flattenArrays, rebuild } from "./leaves.js";

/** One axis, or several as if they were one: the last varies fastest. */
export type AxisNames = string | readonly string[];

/** The type of a tree after a reduction: a number is some number then. */
type Reduced<T> = T extends number ? number : T;

interface Group {
  readonly axes: readonly string[];
  readonly size: number;
}

/** The group that names stand for. */
function groupOf(operation: string, names: AxisNames): Group {
  const axes = typeof names === "string" ? [names] : names;
  if (!globalThis.Array.isArray(axes) || axes.length === 0) {
    fail(operation, `needs the name of an axis, or a list of at least one, got ${describe(names)}`);
  }
  const list = axes as readonly string[];
  const twice = list.find((name, at) => list.indexOf(name) !== at);
  if (twice !== undefined) fail(operation, `the axis "${twice}" is named twice`);
  return { axes: [...list], size: list.reduce((size, name) => size * sizeOfAxis(operation, name), 1) };
}

/** Reduces the arrays of a tree together; plain numbers, the same everywhere, by `constant`. */
function reduceTree<T>(
  operation: string,
  primitive: Primitive<primitives.CollectiveParams>,
  tree: T,
  names: AxisNames,
  constant: (value: number, size: number) => number,
): Reduced<T> {
  const { axes, size } = groupOf(operation, names);
  const { leaves, structure } = flatten(tree);
  const isPlain = leaves.map((leaf) => typeof leaf === "number");
  const { arrays } = flattenArrays(
    operation,
    leaves.filter((_, index) => !isPlain[index]),
    "the values",
  );
  // Sums of bool count.
  const operands =
    primitive === primitives.psum ? arrays.map((x) => (x.dtype === "bool" ? x.astype("int32") : x)) : arrays;
  const reduced = operands.length === 0 ? [] : bind(primitive, operands, { axes });
  let next = 0;
  return unflatten(
    structure,
    leaves.map((leaf) => (typeof leaf === "number" ? constant(leaf, size) : reduced[next++])),
  ) as Reduced<T>;
}

/** Every array of a tree by itself. */
function mapTree<T>(operation: string, tree: T, f: (x: Array) => Array): T {
  const { arrays, structure } = flattenArrays(operation, tree, "the values");
  return rebuild<T>(structure, arrays.map(f));
}

/** The sum of each array over the examples or devices along an axis; of a plain number, that many times it. */
export const psum = checked("lax.psum", 2, <T>(tree: T, axisName: AxisNames): Reduced<T> =>
  reduceTree("lax.psum", primitives.psum, tree, axisName, (value, size) => value * size),
);

/** The mean of each array over the examples or devices along an axis. */
export const pmean = checked("lax.pmean", 2, <T>(tree: T, axisName: AxisNames): Reduced<T> => {
  const { size } = groupOf("lax.pmean", axisName);
  const sums = flatten(reduceTree("lax.pmean", primitives.psum, tree, axisName, (value, n) => value * n));
  return unflatten(
    sums.structure,
    sums.leaves.map((sum) => (typeof sum === "number" ? sum / size : (sum as Array).div(size))),
  ) as Reduced<T>;
});

/** The largest of each array's elements over the examples or devices along an axis. */
export const pmax = checked("lax.pmax", 2, <T>(tree: T, axisName: AxisNames): Reduced<T> =>
  reduceTree("lax.pmax", primitives.pmax, tree, axisName, (value) => value),
);

/** The smallest of each array's elements over the examples or devices along an axis. */
export const pmin = checked("lax.pmin", 2, <T>(tree: T, axisName: AxisNames): Reduced<T> =>
  reduceTree("lax.pmin", primitives.pmin, tree, axisName, (value) => value),
);

export interface AllGatherOptions {
  /** Where the arrays lie side by side. Default 0. */
  readonly axis?: number;
  /** Whether along a dimension they have, rather than a new one. Default false. */
  readonly tiled?: boolean;
}

/** The arrays of all examples or devices along an axis, stacked, or side by side if `tiled`. */
export const allGather = checked(
  "lax.allGather",
  3,
  ["axis", "tiled"],
  <T>(tree: T, axisName: AxisNames, { axis = 0, tiled = false }: AllGatherOptions = {}): T => {
    const group = groupOf("lax.allGather", axisName);
    return mapTree("lax.allGather", tree, (x) => {
      const at = normalizeAxis("lax.allGather", axis, tiled ? x.ndim : x.ndim + 1);
      const block = tiled ? x : x.reshape(insertAt(x.shape, at, 1));
      return bindOne(primitives.allGather, [block], { ...group, axis: at });
    });
  },
);

export interface PsumScatterOptions {
  /** The dimension of which each keeps its part. Default 0. */
  readonly scatterDimension?: number;
  /** Whether each keeps a block of it, rather than one slice without it. Default false. */
  readonly tiled?: boolean;
}

/** The sum over an axis, of which each example or device keeps its own part. */
export const psumScatter = checked(
  "lax.psumScatter",
  3,
  ["scatterDimension", "tiled"],
  <T>(tree: T, axisName: AxisNames, { scatterDimension = 0, tiled = false }: PsumScatterOptions = {}): T => {
    const operation = "lax.psumScatter";
    const group = groupOf(operation, axisName);
    return mapTree(operation, tree, (given) => {
      const x = given.dtype === "bool" ? given.astype("int32") : given;
      const axis = normalizeAxis(operation, scatterDimension, x.ndim);
      checkPieces(operation, x, axis, group, tiled);
      const block = bindOne(primitives.psumScatter, [x], { ...group, axis });
      return tiled ? block : block.reshape(without(block.shape, [axis]));
    });
  },
);

/** Refuses a dimension that cannot be cut into one piece for each member of a group. */
function checkPieces(operation: string, x: Array, axis: number, { axes, size }: Group, tiled: boolean): void {
  const extent = x.shape[axis];
  if (tiled ? extent % size === 0 : extent === size) return;
  const names = axes.map((name) => `"${name}"`).join(", ");
  fail(
    operation,
    `dimension ${axis} of ${showType(x.type)} must have ${tiled ? "a multiple of " : ""}${size} elements, as many as ` +
      `there are along ${names}${tiled ? "" : "; for blocks of several, use { tiled: true }"}`,
  );
}

/** Sends each array from one example or device to another: `perm` lists [from, to]; who gets nothing has zeros. */
export const ppermute = checked(
  "lax.ppermute",
  3,
  <T>(tree: T, axisName: string, perm: readonly (readonly [from: number, to: number])[]): T => {
    const operation = "lax.ppermute";
    const { axes, size } = groupOf(operation, axisName);
    if (axes.length !== 1) fail(operation, `works along one axis, got ${axes.length}`);
    const pairs = checkPairs(operation, perm, size);
    return mapTree(operation, tree, (x) =>
      bindOne(primitives.ppermute, [x], { axes: [axes[0]], size, pairs }),
    );
  },
);

function checkPairs(operation: string, perm: unknown, size: number): (readonly [number, number])[] {
  const isPair = (pair: unknown): pair is readonly [number, number] =>
    globalThis.Array.isArray(pair) &&
    pair.length === 2 &&
    pair.every((at) => Number.isInteger(at) && (at as number) >= 0 && (at as number) < size);
  if (!globalThis.Array.isArray(perm) || !perm.every(isPair)) {
    fail(
      operation,
      `perm must be a list of pairs [from, to] of numbers from 0 to ${size - 1}, got ${JSON.stringify(perm)}`,
    );
  }
  for (const [side, verb] of ["send", "receive"].entries()) {
    const numbers = perm.map((pair) => pair[side]);
    const twice = numbers.find((number, at) => numbers.indexOf(number) !== at);
    if (twice !== undefined) fail(operation, `perm lets ${twice} ${verb} twice`);
  }
  return perm.map(([from, to]) => [from, to] as const);
}

export interface AllToAllOptions {
  /** Whether pieces are joined along a dimension they have, rather than a new one. Default false. */
  readonly tiled?: boolean;
}

/**
 * Each example or device cuts its array along `splitAxis`, keeps one piece and sends the others out; the pieces that
 * it gets are joined along `concatAxis`, in the order of their senders.
 */
export const allToAll = checked(
  "lax.allToAll",
  5,
  ["tiled"],
  <T>(
    tree: T,
    axisName: AxisNames,
    splitAxis: number,
    concatAxis: number,
    { tiled = false }: AllToAllOptions = {},
  ): T => {
    const operation = "lax.allToAll";
    const group = groupOf(operation, axisName);
    return mapTree(operation, tree, (x) => {
      const split = normalizeAxis(`${operation}, splitAxis`, splitAxis, x.ndim);
      const join = normalizeAxis(`${operation}, concatAxis`, concatAxis, x.ndim);
      checkPieces(operation, x, split, group, tiled);
      if (tiled) return bindOne(primitives.allToAll, [x], { ...group, split, join });
      return moveaxis(bindOne(primitives.allToAll, [x], { ...group, split, join: split }), split, join);
    });
  },
);

/** The number of this example or device along an axis. */
export const axisIndex = checked("lax.axisIndex", 1, (axisName: AxisNames): Array => {
  const { axes } = groupOf("lax.axisIndex", axisName);
  return bindOne(primitives.axisIndex, [], { axes });
});

/** How many examples or devices there are along an axis: a plain number. */
export const axisSize = checked(
  "lax.axisSize",
  1,
  (axisName: AxisNames): number => groupOf("lax.axisSize", axisName).size,
);
