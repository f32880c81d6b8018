// Kernels from groups: the expressions of all nodes of a group, over common axes.
import { sizeOf, type DotParams, type Equation, type Variable } from "../../array/index.js";
import type { DotKernel, DotOperand, Expression, LoopKernel, Reduction, Store } from "../kernel.js";
import { loadsIn } from "../walk.js";
import { axisIndex, constantIndex, ExpressionBuilder, type Index } from "./expressions.js";
import type { Group } from "./groups.js";
import { Lowering } from "./lower.js";
import { identityIndices, withoutUnits, type PointNode, type ReduceNode } from "./nodes.js";
import type { Region } from "./region.js";

/** Names that tell a kernel apart in dumps and profiles: what its nodes define. */
function nameOf(region: Region, variables: readonly (Variable | null)[], kind: string): string {
  const names = variables.flatMap((variable) => {
    const name =
      variable === null ? "store" : region.block.definitions.get(variable)?.equation.primitive.name;
    return name === undefined ? [] : [name];
  });
  return [kind, ...new Set(names)].slice(0, 5).join("_");
}

/** Expressions of a kernel in which the group's own variables are written out instead of read. */
function loweringWithin(
  region: Region,
  build: ExpressionBuilder,
  members: ReadonlySet<Variable>,
  reductions: readonly Variable[],
): Lowering {
  return new Lowering(region.block, build, {
    at: (variable, indices, guard) => {
      const reduction = reductions.indexOf(variable);
      if (reduction >= 0) return build.reduced(reduction, variable.type.dtype);
      if (!region.block.stored.has(variable) || members.has(variable)) return null;
      const address = build.address(region.placeOf(variable), variable.type.shape, indices);
      return build.load(address, variable.type.dtype, guard);
    },
    linear: (variable, position, guard) => region.loadLinear(build, variable, position, guard),
  });
}

const storeOf = (node: PointNode, lowering: Lowering, indices: readonly Index[]): Store => ({
  address: node.address(lowering, indices),
  value: node.value(lowering, indices),
  combine: node.combine,
  guard: null,
});

/**
 * The stores of a group's nodes, those left out that nobody outside needs. All are written out in order, so that
 * each finds what it reads of the others written out already.
 */
function storesOf(
  region: Region,
  nodes: readonly PointNode[],
  write: (node: PointNode) => readonly Store[],
): Store[] {
  return nodes
    .map((node) => ({ node, stores: write(node) }))
    .flatMap(({ node, stores }) => (region.isNeeded(node.variable) ? stores : []));
}

/** The kernel of a group of points or rows; null if nothing of it is needed. */
export function buildLoop(region: Region, group: Group): LoopKernel | null {
  const reductions = group.reductions;
  const kept = [...group.body, ...group.after].filter((node) => region.isNeeded(node.variable));
  if (kept.length === 0 && !reductions.some((node) => region.isNeeded(node.variable))) return null;
  return group.kind === "rows" ? buildRows(region, group) : buildPoints(region, group);
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

function buildPoints(region: Region, group: Group): LoopKernel {
  const members = new Set(
    [...group.body, ...group.after].flatMap((node) => (node.variable === null ? [] : [node.variable])),
  );
  const shape = commonShape(group, members);
  if (shape !== null && shape.length > group.space.length) {
    const kernel = assemble(region, group, members, looped(shape));
    if (isSmooth(kernel)) return kernel;
  }
  return assemble(region, group, members, writtenOut(group.space));
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
  region: Region,
  group: Group,
  members: ReadonlySet<Variable>,
  { extents, points }: Layout,
): LoopKernel {
  const build = new ExpressionBuilder(extents);
  const results = group.reductions.map((node) => node.variable);
  const lowering = loweringWithin(region, build, members, results);
  const body = storesOf(region, group.body, (node) =>
    [...points(node.shape)].map((indices) => storeOf(node, lowering, indices)),
  );
  return {
    kind: "loop",
    name: nameOf(
      region,
      [...group.body, ...group.reductions].map((node) => node.variable),
      "points",
    ),
    extents,
    outer: group.reductions.length > 0 ? group.outer : extents.length,
    body,
    reductions: group.reductions.map((node) => reductionOf(node, lowering, points)),
    after: afterStores(
      region,
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
  const elements = [...points(operand.type.shape)].map((indices) => lowering.at(operand, indices));
  const name = operation === "sum" ? "add" : operation;
  const value = elements.reduce((total, element) =>
    lowering.build.operation(name, total.dtype, [total, element]),
  );
  const position = isPosition(operation) ? lowering.build.axis(node.kept.length) : null;
  return { operation, value, position, dtype: variable.type.dtype };
}

const isPosition = (operation: string): boolean => operation === "argMax" || operation === "argMin";

/** What is stored once the reductions are known: their results, and what works on them. */
function afterStores(region: Region, group: Group, lowering: Lowering, indices: readonly Index[]): Store[] {
  const results = group.reductions.flatMap((node, reduction): Store[] => {
    if (!region.isNeeded(node.variable)) return [];
    const { shape, dtype } = node.variable.type;
    const address = lowering.build.address(region.placeOf(node.variable), shape, spread(shape, indices));
    return [{ address, value: lowering.build.reduced(reduction, dtype), combine: "set", guard: null }];
  });
  const nodes = storesOf(region, group.after, (node) => [
    storeOf(node, lowering, spread(node.shape, indices)),
  ]);
  return [...results, ...nodes];
}

/** Indices for the axes of a shape that are not of extent 1. */
function spread(shape: readonly number[], indices: readonly Index[]): Index[] {
  let next = 0;
  return shape.map((extent) => (extent === 1 ? constantIndex(0) : indices[next++]));
}

function buildRows(region: Region, group: Group): LoopKernel {
  const [{ kept, reduced }] = group.reductions;
  const extents = [...kept, ...reduced];
  const build = new ExpressionBuilder(extents);
  const members = new Set(group.after.flatMap((node) => (node.variable === null ? [] : [node.variable])));
  const results = group.reductions.map((node) => node.variable);
  const lowering = loweringWithin(region, build, members, results);
  return {
    kind: "loop",
    name: nameOf(
      region,
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
      region,
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

/** The axes of a product: of its points (batch, rows, columns), then of its depth. */
interface ProductAxes {
  readonly batch: readonly number[];
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly depth: readonly number[];
  /** How many axes the points have, and the extents of all axes. */
  readonly points: number;
  readonly extents: readonly number[];
  /** The element of an operand at each point and depth. */
  readonly element: (lowering: Lowering, side: 0 | 1) => Expression;
}

function productAxes({ inputs, params }: Equation): ProductAxes {
  const { contract, batch } = params as DotParams;
  const free = inputs.map(({ type }, side) =>
    type.shape
      .map((_, axis) => axis)
      .filter((axis) => !contract[side].includes(axis) && !batch[side].includes(axis)),
  );
  const extents = (side: 0 | 1, axes: readonly number[]) => axes.map((axis) => inputs[side].type.shape[axis]);
  const [batches, rows, columns] = [extents(0, batch[0]), extents(0, free[0]), extents(1, free[1])];
  const points = batches.length + rows.length + columns.length;
  const axisOf = (side: 0 | 1, axis: number): number => {
    if (batch[side].includes(axis)) return batch[side].indexOf(axis);
    if (contract[side].includes(axis)) return points + contract[side].indexOf(axis);
    return batches.length + (side === 0 ? 0 : rows.length) + free[side].indexOf(axis);
  };
  const depth = extents(0, contract[0]);
  return {
    batch: batches,
    rows,
    columns,
    depth,
    points,
    extents: [...batches, ...rows, ...columns, ...depth],
    element: (lowering, side) =>
      lowering.at(
        inputs[side],
        inputs[side].type.shape.map((_, axis) => axisIndex(axisOf(side, axis))),
      ),
  };
}

/** A product of integers, or over no depth: a plain reduction. */
export function buildPlainDot(region: Region, equation: Equation): LoopKernel {
  const { extents, points, element } = productAxes(equation);
  const [{ type }] = equation.outputs;
  const build = new ExpressionBuilder(extents);
  const lowering = region.lowering(build);
  const value = build.operation("mul", type.dtype, [element(lowering, 0), element(lowering, 1)]);
  const indices = type.shape.map((_, axis) => axisIndex(axis));
  const store: Store = {
    address: build.address(region.placeOf(equation.outputs[0]), type.shape, indices),
    value: build.reduced(0, type.dtype),
    combine: "set",
    guard: null,
  };
  return {
    kind: "loop",
    name: "product",
    extents,
    outer: points,
    body: [],
    reductions: [{ operation: "sum", value, position: null, dtype: type.dtype }],
    after: [store],
    order: "free",
  };
}

/** A product with what is computed on its sums. */
export function buildDot(region: Region, equation: Equation, group: Group): DotKernel {
  const { batch, rows, columns, depth, points, extents, element } = productAxes(equation);
  const [output] = equation.outputs;
  const operand = (side: 0 | 1): DotOperand => {
    const load = element(region.lowering(new ExpressionBuilder(extents)), side);
    if (load.kind !== "load" || load.guard !== null)
      throw new Error("an operand of a product is not in memory");
    const { strides, buffer, offset, counters, computed } = load.address;
    if (computed.length > 0) throw new Error("an operand of a product lies at a computed place");
    const columnsAt = batch.length + rows.length;
    return {
      buffer,
      offset,
      counters,
      batch: strides.slice(0, batch.length),
      free: side === 0 ? strides.slice(batch.length, columnsAt) : strides.slice(columnsAt, points),
      depth: strides.slice(points),
    };
  };

  const build = new ExpressionBuilder(extents.slice(0, points));
  const members = new Set(group.after.flatMap((node) => (node.variable === null ? [] : [node.variable])));
  const lowering = loweringWithin(region, build, members, [output]);
  const indices = output.type.shape.map((_, axis) => axisIndex(axis));
  const own: Store = {
    address: build.address(region.placeOf(output), output.type.shape, indices),
    value: build.reduced(0, output.type.dtype),
    combine: "set",
    guard: null,
  };
  const significant = indices.filter((_, axis) => output.type.shape[axis] !== 1);
  const epilogue = group.after
    .map(({ variable }) => variable)
    .filter((variable) => region.isNeeded(variable));
  return {
    kind: "dot",
    name: nameOf(region, [output, ...epilogue], "product"),
    batch,
    rows,
    columns,
    depth,
    left: operand(0),
    right: operand(1),
    stores: [
      ...(region.isNeeded(output) ? [own] : []),
      ...storesOf(region, group.after, (node) => [storeOf(node, lowering, spread(node.shape, significant))]),
    ],
  };
}
