// Kernels that write to places of their own choosing: updates of a block, scatters, overlapping windows, and
// padding between elements.
import {
  sizeOf,
  type Atom,
  type Equation,
  type PadParams,
  type ScatterParams,
  type WindowParams,
} from "../../array/index.js";
import type { Address, Combine, Expression, Order, Place, Store } from "../kernel.js";
import type { RegionBuilder } from "./builder.js";
import { addIndex, constantIndex, ExpressionBuilder, scaleIndex, type Index } from "./expressions.js";
import type { Lowering } from "./lower.js";
import { identityIndices, withoutUnits } from "./space.js";

const set = (
  address: Address,
  value: Expression,
  combine: Combine = "set",
  guard: Expression | null = null,
): Store => ({ address, value, combine, guard });

/** A loop with one store at every point of a shape. */
function storeLoop(
  builder: RegionBuilder,
  name: string,
  shape: readonly number[],
  order: Order,
  store: (lowering: Lowering, indices: readonly Index[]) => Store,
): void {
  const extents = withoutUnits(shape);
  const lowering = builder.lowering(new ExpressionBuilder(extents));
  builder.push({
    kind: "loop",
    name,
    extents,
    outer: extents.length,
    body: [store(lowering, identityIndices(shape))],
    reductions: [],
    after: [],
    order,
  });
}

/** An atom put into a place that will be updated: copied if it lies in memory, else computed there. */
function initialise(builder: RegionBuilder, atom: Atom, to: Place): void {
  const { shape } = atom.type;
  if (sizeOf(shape) === 0) return;
  if (atom.kind === "variable" && builder.block.stored.has(atom)) {
    builder.copy(builder.placeOf(atom), to, sizeOf(shape));
    return;
  }
  const write = (lowering: Lowering, indices: readonly Index[]) =>
    set(lowering.build.address(to, shape, indices), lowering.at(atom, indices));
  storeLoop(builder, "start", shape, "free", write);
}

/** dynamicUpdateSlice: the operand, then the block over it. */
export function buildUpdate(builder: RegionBuilder, equation: Equation): void {
  const [x, update, ...starts] = equation.inputs;
  const [output] = equation.outputs;
  const { shape } = output.type;
  const block = update.type.shape;
  const to = builder.placeOf(output);
  initialise(builder, x, to);
  if (sizeOf(block) === 0) return;
  storeLoop(builder, "update", block, "free", (lowering, indices) => {
    const target = indices.map((index, axis) => {
      const last = shape[axis] - block[axis];
      return last === 0 ? index : addIndex(index, lowering.clamped(lowering.at(starts[axis], []), last));
    });
    return set(lowering.build.address(to, shape, target), lowering.at(update, indices));
  });
}

/** scatter: the operand, then the updates in order. */
export function buildScatter(builder: RegionBuilder, equation: Equation): void {
  const { batchDims, mode, operation } = equation.params as ScatterParams;
  const [x, updates, table] = equation.inputs;
  const [output] = equation.outputs;
  const { shape } = output.type;
  const to = builder.placeOf(output);
  initialise(builder, x, to);
  if (sizeOf(updates.type.shape) === 0 || sizeOf(shape) === 0) return;
  const positions = table.type.shape.length - 1;
  const count = table.type.shape[positions];
  const order = operation === "set" ? "lastWins" : "collides";
  storeLoop(builder, `scatter_${operation}`, updates.type.shape, order, (lowering, indices) => {
    const { build } = lowering;
    let guard: Expression | null = null;
    const target = Array.from({ length: count }, (_, at) => {
      const extent = shape[batchDims + at];
      const value = lowering.at(table, [...indices.slice(0, positions), constantIndex(at)]);
      if (mode === "drop") guard = lowering.both(guard, lowering.isInside(value, extent));
      return lowering.clamped(value, extent - 1);
    });
    const all = [...indices.slice(0, batchDims), ...target, ...indices.slice(positions)];
    return set(build.address(to, shape, all), lowering.at(updates, indices), operation, guard);
  });
}

/** A value at every element of a place. */
const fillLoop = (
  builder: RegionBuilder,
  to: Place,
  shape: readonly number[],
  value: (lowering: Lowering) => Expression,
) =>
  storeLoop(builder, "fill", shape, "free", (lowering, indices) =>
    set(lowering.build.address(to, shape, indices), value(lowering)),
  );

/** windowSum: zeros, then the windows' elements added one position in the window after the other. */
export function buildWindowSum(builder: RegionBuilder, equation: Equation): void {
  const { axis, stride, dilation } = equation.params as WindowParams;
  const [x] = equation.inputs;
  const [output] = equation.outputs;
  const to = builder.placeOf(output);
  const { shape, dtype } = output.type;
  if (sizeOf(shape) === 0) return;
  fillLoop(builder, to, shape, ({ build }) => build.constant(0, dtype));
  if (sizeOf(x.type.shape) === 0) return;
  // The position in the window is the outermost axis, so that neighbours in a vector never meet.
  const windows = x.type.shape;
  const reordered = [windows[axis + 1], ...windows.slice(0, axis + 1), ...windows.slice(axis + 2)];
  storeLoop(builder, "windowSum", reordered, "collides", (lowering, [inWindow, ...rest]) => {
    const inside = addIndex(scaleIndex(rest[axis], stride), scaleIndex(inWindow, dilation));
    const target = [...rest.slice(0, axis), inside, ...rest.slice(axis + 1)];
    const source = [...rest.slice(0, axis + 1), inWindow, ...rest.slice(axis + 1)];
    return set(lowering.build.address(to, shape, target), lowering.at(x, source), "add");
  });
}

/** pad with elements between elements, or far around: the padding everywhere, then the operand over it. */
export function buildPad(builder: RegionBuilder, equation: Equation): void {
  const { low, interior } = equation.params as PadParams;
  const [x, padding] = equation.inputs;
  const [output] = equation.outputs;
  const to = builder.placeOf(output);
  const { shape } = output.type;
  if (sizeOf(shape) === 0) return;
  fillLoop(builder, to, shape, (lowering) => lowering.at(padding, []));
  // Only what lands inside: negative padding cuts some off.
  const kept = x.type.shape.map((extent, axis) => {
    const by = interior[axis] + 1;
    const first = Math.max(0, Math.ceil(-low[axis] / by));
    const last = Math.min(extent - 1, Math.floor((shape[axis] - 1 - low[axis]) / by));
    return { first, count: Math.max(0, last - first + 1), by };
  });
  const counts = kept.map(({ count }) => count);
  if (sizeOf(counts) === 0) return;
  storeLoop(builder, "pad", counts, "free", (lowering, indices) => {
    const source = indices.map((index, axis) => scaleIndex(index, 1, kept[axis].first));
    const target = source.map((index, axis) => scaleIndex(index, kept[axis].by, low[axis]));
    return set(lowering.build.address(to, shape, target), lowering.at(x, source));
  });
}
