// Products: of matrices, with what is computed on their sums, and plain ones.
import type { DotParams, Equation } from "../../array/index.js";
import type { DotKernel, DotOperand, Expression, LoopKernel, Store } from "../kernel.js";
import type { RegionBuilder } from "./builder.js";
import { axisIndex, ExpressionBuilder } from "./expressions.js";
import type { Group } from "./groups.js";
import type { Lowering } from "./lower.js";
import { spread } from "./space.js";
import { loweringWithin, nameOf, storeOf, storesOf } from "./stores.js";

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
export function buildPlainDot(builder: RegionBuilder, equation: Equation): LoopKernel {
  const { extents, points, element } = productAxes(equation);
  const [{ type }] = equation.outputs;
  const build = new ExpressionBuilder(extents);
  const lowering = builder.lowering(build);
  const value = build.operation("mul", type.dtype, [element(lowering, 0), element(lowering, 1)]);
  const indices = type.shape.map((_, axis) => axisIndex(axis));
  const store: Store = {
    address: build.address(builder.placeOf(equation.outputs[0]), type.shape, indices),
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
export function buildDot(builder: RegionBuilder, equation: Equation, group: Group): DotKernel {
  const { batch, rows, columns, depth, points, extents, element } = productAxes(equation);
  const [output] = equation.outputs;
  const operand = (side: 0 | 1): DotOperand => {
    const load = element(builder.lowering(new ExpressionBuilder(extents)), side);
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
  const lowering = loweringWithin(builder, build, members, [output]);
  const indices = output.type.shape.map((_, axis) => axisIndex(axis));
  const own: Store = {
    address: build.address(builder.placeOf(output), output.type.shape, indices),
    value: build.reduced(0, output.type.dtype),
    combine: "set",
    guard: null,
  };
  const significant = indices.filter((_, axis) => output.type.shape[axis] !== 1);
  const epilogue = group.after
    .map(({ variable }) => variable)
    .filter((variable) => builder.isNeeded(variable));
  return {
    kind: "dot",
    name: nameOf(builder, [output, ...epilogue], "product"),
    batch,
    rows,
    columns,
    depth,
    left: operand(0),
    right: operand(1),
    stores: [
      ...(builder.isNeeded(output) ? [own] : []),
      ...storesOf(builder, group.after, (node) => [
        storeOf(builder, node, lowering, spread(node.shape, significant)),
      ]),
    ],
  };
}
