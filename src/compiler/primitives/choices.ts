// Primitives whose elements come from one of several places: padding, concatenation, gathering and scattering.
import {
  sizeOf,
  type Equation,
  type GatherParams,
  type PadParams,
  type ScatterParams,
} from "../../array/index.js";
import { constantIndex, everyIndex, isConstant, scaleIndex } from "../fuse/expressions.js";
import { buildPad, buildScatter } from "../fuse/scattered.js";
import type { Expression } from "../kernel.js";
import { entry, smallExtent, step, type PrimitiveEntry, type Written } from "./entry.js";

// ---- pad ----------------------------------------------------------------------------------------------

/** Padding further than so many elements around is filled in first, and the operand put over it. */
const widestPadding = 8192;

function isNarrowPadding({ inputs: [x], params }: Equation): boolean {
  const { low, high, interior } = params as PadParams;
  const widest = Math.max(0, ...[...low, ...high].map((by) => Math.abs(by)));
  return interior.every((by) => by === 0) && widest * sizeOf(x.type.shape.slice(1)) <= widestPadding;
}

const pad: Written = (lowering, { inputs: [x, padding], params }, indices) => {
  const { low, high } = params as PadParams;
  const isEmpty = x.type.shape.includes(0);
  const isKnownOutside = indices.some((index, axis) => {
    const at = index.offset - low[axis];
    return isConstant(index) && (at < 0 || at >= x.type.shape[axis]);
  });
  if (isEmpty || isKnownOutside) return lowering.scalar(padding);
  let inside: Expression | null = null;
  const shifted = indices.map((index, axis) => {
    if (low[axis] === 0 && high[axis] === 0) return index;
    const moved = scaleIndex(index, 1, -low[axis]);
    if (!isConstant(index) && (low[axis] > 0 || high[axis] > 0)) {
      inside = lowering.both(inside, lowering.isInside(lowering.build.indexValue(moved), x.type.shape[axis]));
    }
    // Held inside, a computed place needs no guard.
    const isComputed = moved.computed.length > 0;
    return isComputed ? lowering.clamped(lowering.build.indexValue(moved), x.type.shape[axis] - 1) : moved;
  });
  if (inside === null) return lowering.at(x, shifted);
  const value = lowering.where(inside, () => lowering.at(x, shifted));
  return lowering.operation("select", value.dtype, [inside, value, lowering.scalar(padding)]);
};

// ---- concatenate --------------------------------------------------------------------------------------

const axisOf = ({ params }: Equation): number => (params as { readonly axis: number }).axis;

/** The operand that a position along the axis falls into: known where the position is, else chosen. */
const concatenate: Written = (lowering, equation, indices) => {
  const axis = axisOf(equation);
  const parts = equation.inputs.flatMap((input) =>
    Array.from({ length: input.type.shape[axis] }, (_, at) => ({ input, at })),
  );
  const element = (position: number): Expression => {
    const { input, at } = parts[position];
    return lowering.at(
      input,
      indices.map((index, other) => (other === axis ? constantIndex(at) : index)),
    );
  };
  if (isConstant(indices[axis])) return element(indices[axis].offset);
  return lowering.chosen(parts.length, lowering.build.indexValue(indices[axis]), element);
};

// ---- gather -------------------------------------------------------------------------------------------

/** Index into one short axis, with everything before it a batch axis. */
const isSmallGather = ({ inputs: [x, table], params }: Equation): boolean => {
  const { batchDims } = params as GatherParams;
  return table.type.shape.at(-1) === 1 && x.type.shape[batchDims] <= smallExtent;
};

const gather: Written = (lowering, { inputs: [x, table], params, outputs: [output] }, indices) => {
  const { batchDims, mode } = params as GatherParams;
  const count = table.type.shape[table.type.shape.length - 1];
  const positions = table.type.shape.length - 1;
  const rest = indices.slice(positions);
  const batch = indices.slice(0, batchDims);
  const chosen = Array.from({ length: count }, (_, at) =>
    lowering.at(table, [...indices.slice(0, positions), constantIndex(at)]),
  );
  const extents = x.type.shape.slice(batchDims, batchDims + count);
  let inside: Expression | null = null;
  if (mode === "drop") {
    chosen.forEach(
      (position, at) => (inside = lowering.both(inside, lowering.isInside(position, extents[at]))),
    );
  }
  const value = lowering.isWrittenOut(x)
    ? lowering.chosen(extents[0], chosen[0], (at) => lowering.at(x, [...batch, constantIndex(at), ...rest]))
    : lowering.at(x, [
        ...batch,
        ...chosen.map((position, at) => lowering.clamped(position, extents[at] - 1)),
        ...rest,
      ]);
  const zero = lowering.build.constant(0, output.type.dtype);
  return inside === null ? value : lowering.operation("select", value.dtype, [inside, value, zero]);
};

// ---- scatter ------------------------------------------------------------------------------------------

/** Few updates of one short axis: every element of the result asks each update whether it is meant. */
const isSmallScatter = ({ inputs: [x, , table], params }: Equation): boolean => {
  const { batchDims } = params as ScatterParams;
  const indices = table.type.shape;
  const updates = sizeOf(indices.slice(batchDims, -1));
  return indices.at(-1) === 1 && x.type.shape[batchDims] <= smallExtent && updates <= 4;
};

const scatter: Written = (lowering, { inputs: [x, updates, table], params }, indices) => {
  const { batchDims, mode, operation } = params as ScatterParams;
  const batch = indices.slice(0, batchDims);
  const rest = indices.slice(batchDims + 1);
  const here = lowering.build.indexValue(indices[batchDims]);
  const last = x.type.shape[batchDims] - 1;
  let value = lowering.at(x, indices);
  for (const position of everyIndex(table.type.shape.slice(batchDims, -1))) {
    const given = lowering.at(table, [...batch, ...position, constantIndex(0)]);
    const target = mode === "clip" ? lowering.build.indexValue(lowering.clamped(given, last)) : given;
    const isMeant = lowering.operation("equal", "bool", [target, here]);
    const update = lowering.at(updates, [...batch, ...position, ...rest]);
    const met = operation === "set" ? update : lowering.operation(operation, value.dtype, [value, update]);
    value = lowering.operation("select", value.dtype, [isMeant, met, value]);
  }
  return value;
};

export const choices = {
  pad: step(buildPad, {
    isPositional: true,
    written: pad,
    isInlineable: isNarrowPadding,
    needsMemory: () => false,
  }),
  concatenate: entry({
    isPositional: true,
    written: concatenate,
    isInlineable: (equation) => equation.outputs[0].type.shape[axisOf(equation)] <= smallExtent,
    form: { kind: "concatenation", axis: axisOf },
  }),
  gather: entry({
    cost: 6,
    isLookUp: true,
    written: gather,
    isInlineable: () => true,
    needsMemory: (equation, operand) => operand === 0 && !isSmallGather(equation),
  }),
  scatter: step(buildScatter, {
    isPositional: true,
    isUpdate: true,
    written: scatter,
    isInlineable: isSmallScatter,
    needsMemory: () => false,
  }),
} satisfies Record<string, PrimitiveEntry>;
