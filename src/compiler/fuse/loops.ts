// Loops from groups: the expressions of all nodes of a group, over common axes.
import { sizeOf, type Variable } from "../../array/index.js";
import type { LoopKernel, Reduce, Reduction, Store } from "../kernel.js";
import { loadsIn } from "../walk.js";
import type { RegionBuilder } from "./builder.js";
import { axisIndex, constantIndex, ExpressionBuilder, type Index } from "./expressions.js";
import type { Group } from "./groups.js";
import type { Lowering } from "./lower.js";
import type { ReduceNode } from "./nodes.js";
import { identityIndices, spread, withoutUnits } from "./space.js";
import { loweringWithin, nameOf, storeOf, storesOf } from "./stores.js";

/** The kernel of a group of points or rows; null if nothing of it is needed. */
export function buildLoop(builder: RegionBuilder, group: Group): LoopKernel | null {
  const reductions = group.reductions;
  const kept = [...group.body, ...group.after].filter((node) => builder.isNeeded(node.variable));
  if (kept.length === 0 && !reductions.some((node) => builder.isNeeded(node.variable))) return null;
  return group.kind === "rows" ? buildRows(builder, group) : buildPoints(builder, group);
}

/** How the points of a group's index spaces are visited. */
interface Layout {
  readonly extents: readonly number[];
  /** The indices of every point of a node's shape that one iteration of the loop visits. */
  readonly points: (shape: readonly number[]) => Generator<Index[]>;
}

/** Loops over the common space; what is left of each shape is written out. */
function writtenOut(space: readonly number[]): Layout {
  const visit = function* (shape: readonly number[]): Generator<Index[]> {
    const total = sizeOf(withoutUnits(shape).slice(space.length));
    for (let point = 0; point < total; point++) {
      let rest = point;
      const significant = withoutUnits(shape);
      const indices = significant.map((_, axis) =>
        axis < space.length ? axisIndex(axis) : constantIndex(0),
      );
      for (let axis = significant.length - 1; axis >= space.length; axis--) {
        indices[axis] = constantIndex(rest % significant[axis]);
        rest = Math.floor(rest / significant[axis]);
      }
      let next = 0;
      yield shape.map((extent) => (extent === 1 ? constantIndex(0) : indices[next++]));
    }
  };
  return { extents: space, points: visit };
}

/** Loops over everything; all shapes are the same. */
function looped(shape: readonly number[]): Layout {
  return {
    extents: withoutUnits(shape),
    points: function* (own) {
      yield identityIndices(own);
    },
  };
}

/** Whether all nodes have one shape and look at nothing but their own point, so that no axis need be written out. */
function commonShape(group: Group, members: ReadonlySet<Variable>): readonly number[] | null {
  const shapes = [
    ...group.body.map((node) => withoutUnits(node.shape)),
    ...group.reductions.map((node) => withoutUnits(node.operand.type.shape)),
  ];
  const [first] = shapes;
  const isOne = shapes.every((shape) => shape.join() === first.join());
  const staysInPlace = [...group.body, ...group.reductions].every((node) =>
    [...node.reads].every(([variable, reach]) => !members.has(variable) || reach === "point"),
  );
  return isOne && staysInPlace ? first : null;
}

function buildPoints(builder: RegionBuilder, group: Group): LoopKernel {
  const members = new Set(
    [...group.body, ...group.after].flatMap((node) => (node.variable === null ? [] : [node.variable])),
  );
  const shape = commonShape(group, members);
  if (shape !== null && shape.length > group.space.length) {
    const kernel = assemble(builder, group, members, looped(shape));
    if (isSmooth(kernel)) return kernel;
  }
  return assemble(builder, group, members, writtenOut(group.space));
}

/**
 * Whether a kernel over all axes runs well as it is: memory is walked in order along the innermost axis, and
 * that axis fills vectors or continues the one around it.
 */
function isSmooth({ extents, body, reductions }: LoopKernel): boolean {
  const last = extents.length - 1;
  const addresses = [...body, ...reductions].flatMap(({ value, ...store }) => [
    ...("address" in store ? [store.address] : []),
    ...loadsIn([value]),
  ]);
  const fills = extents[last] % 4 === 0;
  return addresses.every(({ strides, computed }) => {
    const inner = strides[last];
    const continues = strides[last - 1] === inner * extents[last];
    return fills ? inner === 0 || inner === 1 || continues : continues && computed.length === 0;
  });
}

function assemble(
  builder: RegionBuilder,
  group: Group,
  members: ReadonlySet<Variable>,
  { extents, points }: Layout,
): LoopKernel {
  const build = new ExpressionBuilder(extents);
  const results = group.reductions.map((node) => node.variable);
  const lowering = loweringWithin(builder, build, members, results);
  const body = storesOf(builder, group.body, (node) =>
    [...points(node.shape)].map((indices) => storeOf(builder, node, lowering, indices)),
  );
  return {
    kind: "loop",
    name: nameOf(
      builder,
      [...group.body, ...group.reductions].map((node) => node.variable),
      "points",
    ),
    extents,
    outer: group.reductions.length > 0 ? group.outer : extents.length,
    body,
    reductions: group.reductions.map((node) => reductionOf(node, lowering, points)),
    after: afterStores(
      builder,
      group,
      lowering,
      extents.slice(0, group.outer).map((_, axis) => axisIndex(axis)),
    ),
    order: "free",
  };
}

/** A reduction in a loop over points: short axes at the end that are written out are combined within the iteration. */
function reductionOf(node: ReduceNode, lowering: Lowering, points: Layout["points"]): Reduction {
  const { operand, operation, variable } = node;
  const { dtype } = variable.type;
  const elements = [...points(operand.type.shape)].map((indices) => lowering.at(operand, indices));
  if (isPosition(operation)) {
    if (elements.length > 1) throw new Error("positions along an axis that is written out");
    return { operation, value: elements[0], position: lowering.build.axis(node.kept.length), dtype };
  }
  const name = operation === "sum" ? "add" : operation;
  const value = elements.reduce((total, element) =>
    lowering.build.operation(name, total.dtype, [total, element]),
  );
  return { operation, value, position: null, dtype };
}

const isPosition = (operation: Reduce): operation is "argMax" | "argMin" =>
  operation === "argMax" || operation === "argMin";

/** What is stored once the reductions are known: their results, and what works on them. */
function afterStores(
  builder: RegionBuilder,
  group: Group,
  lowering: Lowering,
  indices: readonly Index[],
): Store[] {
  const results = group.reductions.flatMap((node, reduction): Store[] => {
    if (!builder.isNeeded(node.variable)) return [];
    const { shape, dtype } = node.variable.type;
    const address = lowering.build.address(builder.placeOf(node.variable), shape, spread(shape, indices));
    return [{ address, value: lowering.build.reduced(reduction, dtype), combine: "set", guard: null }];
  });
  const nodes = storesOf(builder, group.after, (node) => [
    storeOf(builder, node, lowering, spread(node.shape, indices)),
  ]);
  return [...results, ...nodes];
}

function buildRows(builder: RegionBuilder, group: Group): LoopKernel {
  const [{ kept, reduced }] = group.reductions;
  const extents = [...kept, ...reduced];
  const build = new ExpressionBuilder(extents);
  const members = new Set(group.after.flatMap((node) => (node.variable === null ? [] : [node.variable])));
  const results = group.reductions.map((node) => node.variable);
  const lowering = loweringWithin(builder, build, members, results);
  return {
    kind: "loop",
    name: nameOf(
      builder,
      [...group.reductions, ...group.after].map((node) => node.variable),
      "rows",
    ),
    extents,
    outer: kept.length,
    body: [],
    reductions: group.reductions.map((node) => ({
      operation: node.operation,
      value: lowering.at(node.operand, rowIndices(node)),
      position: isPosition(node.operation) ? build.axis(kept.length) : null,
      dtype: node.variable.type.dtype,
    })),
    after: afterStores(
      builder,
      group,
      lowering,
      kept.map((_, axis) => axisIndex(axis)),
    ),
    order: "free",
  };
}

/** Indices of a reduced operand: kept axes first, then reduced ones. */
function rowIndices({ roles, kept }: ReduceNode): Index[] {
  const next = { kept: 0, reduced: kept.length };
  return roles.map((role) => (role === "unit" ? constantIndex(0) : axisIndex(next[role]++)));
}
