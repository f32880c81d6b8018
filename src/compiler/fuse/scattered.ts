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
import type { Combine, Expression, Kernel, LoopKernel, Order, Place, Store } from "../kernel.js";
import { addIndex, constantIndex, ExpressionBuilder, scaleIndex, type Index } from "./expressions.js";
import type { Lowering } from "./lower.js";
import { identityIndices, withoutUnits } from "./nodes.js";
import type { Region } from "./region.js";

/** One store at every point of a shape. */
function storeLoop(
  region: Region,
  name: string,
  shape: readonly number[],
  order: Order,
  store: (lowering: Lowering, indices: readonly Index[]) => Store,
): LoopKernel {
  const extents = withoutUnits(shape);
  const lowering = region.lowering(new ExpressionBuilder(extents));
  return {
    kind: "loop",
    name,
    extents,
    outer: extents.length,
    body: [store(lowering, identityIndices(shape))],
    reductions: [],
    after: [],
    order,
  };
}

/** An atom put into a place that will be updated: copied if it lies in memory, else computed there. */
function initialise(region: Region, atom: Atom, to: Place): Kernel[] {
  const { shape } = atom.type;
  if (sizeOf(shape) === 0) return [];
  if (atom.kind === "variable" && region.block.stored.has(atom)) {
    return [{ kind: "copy", name: "copy", from: region.placeOf(atom), to, size: sizeOf(shape) }];
  }
  const write = (lowering: Lowering, indices: readonly Index[]) =>
    set(lowering.build.address(to, shape, indices), lowering.at(atom, indices));
  return [storeLoop(region, "start", shape, "free", write)];
}

const set = (
  address: Store["address"],
  value: Expression,
  combine: Combine = "set",
  guard: Expression | null = null,
): Store => ({
  address,
  value,
  combine,
  guard,
});

/** A computed position moved into 0 … last. */
function clampedIndex({ build }: Lowering, value: Expression, last: number): Index {
  if (value.kind === "constant") return constantIndex(Math.min(Math.max(value.value, 0), last));
  const raised = build.operation("max", "int32", [value, build.constant(0, "int32")]);
  const index = build.operation("min", "int32", [raised, build.constant(last, "int32")]);
  return { offset: 0, axes: [], computed: [{ index, stride: 1 }] };
}

/** dynamicUpdateSlice: the operand, then the block over it. */
export function updateKernel(region: Region, equation: Equation): Kernel[] {
  const [x, update, ...starts] = equation.inputs;
  const [output] = equation.outputs;
  const { shape } = output.type;
  const block = update.type.shape;
  const to = region.placeOf(output);
  const copy = initialise(region, x, to);
  if (sizeOf(block) === 0) return copy;
  const loop = storeLoop(region, "update", block, "free", (lowering, indices) => {
    const target = indices.map((index, axis) => {
      const last = shape[axis] - block[axis];
      return last === 0
        ? index
        : addIndex(index, clampedIndex(lowering, lowering.at(starts[axis], []), last));
    });
    return set(lowering.build.address(to, shape, target), lowering.at(update, indices));
  });
  return [...copy, loop];
}

/** scatter: the operand, then the updates in order. */
export function scatterKernel(region: Region, equation: Equation): Kernel[] {
  const { batchDims, mode, operation } = equation.params as ScatterParams;
  const [x, updates, table] = equation.inputs;
  const [output] = equation.outputs;
  const { shape } = output.type;
  const to = region.placeOf(output);
  const copy = initialise(region, x, to);
  if (sizeOf(updates.type.shape) === 0 || sizeOf(shape) === 0) return copy;
  const positions = table.type.shape.length - 1;
  const count = table.type.shape[positions];
  const order = operation === "set" ? "lastWins" : "collides";
  const loop = storeLoop(region, `scatter_${operation}`, updates.type.shape, order, (lowering, indices) => {
    const { build } = lowering;
    let guard: Expression | null = null;
    const target = Array.from({ length: count }, (_, at) => {
      const extent = shape[batchDims + at];
      const value = lowering.at(table, [...indices.slice(0, positions), constantIndex(at)]);
      if (mode === "drop") {
        const notBefore = build.operation("lessEqual", "bool", [build.constant(0, "int32"), value]);
        const notBehind = build.operation("less", "bool", [value, build.constant(extent, "int32")]);
        const inside = build.operation("and", "bool", [notBefore, notBehind]);
        guard = guard === null ? inside : build.operation("and", "bool", [guard, inside]);
      }
      return clampedIndex(lowering, value, extent - 1);
    });
    const all = [...indices.slice(0, batchDims), ...target, ...indices.slice(positions)];
    return set(build.address(to, shape, all), lowering.at(updates, indices), operation, guard);
  });
  return [...copy, loop];
}

/** A value at every element of a place. */
const fillLoop = (
  region: Region,
  to: Place,
  shape: readonly number[],
  value: (lowering: Lowering) => Expression,
) =>
  storeLoop(region, "fill", shape, "free", (lowering, indices) =>
    set(lowering.build.address(to, shape, indices), value(lowering)),
  );

/** windowSum: zeros, then the windows' elements added one position in the window after the other. */
export function windowSumKernels(region: Region, equation: Equation): Kernel[] {
  const { axis, stride, dilation } = equation.params as WindowParams;
  const [x] = equation.inputs;
  const [output] = equation.outputs;
  const to = region.placeOf(output);
  const { shape, dtype } = output.type;
  const zero = fillLoop(region, to, shape, ({ build }) => build.constant(0, dtype));
  // The position in the window is the outermost axis, so that neighbours in a vector never meet.
  const windows = x.type.shape;
  const reordered = [windows[axis + 1], ...windows.slice(0, axis + 1), ...windows.slice(axis + 2)];
  const add = storeLoop(region, "windowSum", reordered, "collides", (lowering, [inWindow, ...rest]) => {
    const inside = addIndex(scaleIndex(rest[axis], stride), scaleIndex(inWindow, dilation));
    const target = [...rest.slice(0, axis), inside, ...rest.slice(axis + 1)];
    const source = [...rest.slice(0, axis + 1), inWindow, ...rest.slice(axis + 1)];
    return set(lowering.build.address(to, shape, target), lowering.at(x, source), "add");
  });
  return sizeOf(shape) === 0 ? [] : sizeOf(windows) === 0 ? [zero] : [zero, add];
}

/** pad with elements between elements, or far around: the padding everywhere, then the operand over it. */
export function padKernels(region: Region, equation: Equation): Kernel[] {
  const { low, interior } = equation.params as PadParams;
  const [x, padding] = equation.inputs;
  const [output] = equation.outputs;
  const to = region.placeOf(output);
  const { shape } = output.type;
  if (sizeOf(shape) === 0) return [];
  const fill = fillLoop(region, to, shape, (lowering) => lowering.at(padding, []));
  // Only what lands inside: negative padding cuts some off.
  const kept = x.type.shape.map((extent, axis) => {
    const by = interior[axis] + 1;
    const first = Math.max(0, Math.ceil(-low[axis] / by));
    const last = Math.min(extent - 1, Math.floor((shape[axis] - 1 - low[axis]) / by));
    return { first, count: Math.max(0, last - first + 1), by };
  });
  const counts = kept.map(({ count }) => count);
  if (sizeOf(counts) === 0) return [fill];
  const place = storeLoop(region, "pad", counts, "free", (lowering, indices) => {
    const source = indices.map((index, axis) => scaleIndex(index, 1, kept[axis].first));
    const target = source.map((index, axis) => scaleIndex(index, kept[axis].by, low[axis]));
    return set(lowering.build.address(to, shape, target), lowering.at(x, source));
  });
  return [fill, place];
}
