// The units of fusion: writing an array element by element, and reducing one. Each knows its index space and
// which arrays it reads, so that units over the same space can share a loop.
import type { Atom, DType, Variable } from "../../array/index.js";
import type { Address, Combine, Expression, Reduce } from "../kernel.js";
import { smallExtent, type Block } from "./block.js";
import { axisIndex, constantIndex, ExpressionBuilder, isAxis, type Index } from "./expressions.js";
import { Lowering } from "./lower.js";

/** Writes a value at every point of an index space. */
export interface PointNode {
  readonly kind: "point";
  /** The variable that this defines, if the whole of it; parts of a concatenation define none. */
  readonly variable: Variable | null;
  readonly shape: readonly number[];
  readonly value: (lowering: Lowering, indices: readonly Index[]) => Expression;
  readonly address: (lowering: Lowering, indices: readonly Index[]) => Address;
  readonly combine: Combine;
  readonly reads: Reads;
  /** Expressions that it takes. */
  readonly weight: number;
}

/** Reduces an array over some axes. */
export interface ReduceNode {
  readonly kind: "reduce";
  readonly variable: Variable;
  readonly operand: Atom;
  readonly operation: Reduce;
  /** Extents of the axes that stay and of those that vanish, axes of extent 1 left out. */
  readonly kept: readonly number[];
  readonly reduced: readonly number[];
  /** For each axis of the operand: a kept one, a reduced one, or of extent 1. */
  readonly roles: readonly ("kept" | "reduced" | "unit")[];
  readonly reads: Reads;
  /** Expressions that it takes. */
  readonly weight: number;
}

/**
 * The arrays in memory that a node reads, and where: only the element it works on, only elements of the row it
 * works on (what stands at the same point of the loop), or anywhere.
 */
export type Reads = ReadonlyMap<Variable, Reach>;
export type Reach = "point" | "row" | "anywhere";

/** The extents that are not 1. */
export const withoutUnits = (shape: readonly number[]): number[] => shape.filter((extent) => extent !== 1);

/**
 * The loop's part of an index space: short axes at the end are left to be written out, if something is left
 * to loop over.
 */
export function outerSpace(shape: readonly number[]): number[] {
  const extents = withoutUnits(shape);
  let inner = 1;
  while (extents.length > 1 && inner * extents[extents.length - 1] <= smallExtent) {
    inner *= extents.pop() as number;
  }
  return extents;
}

/** One index per axis of a shape: the kernel's axes in order, 0 for axes of extent 1. */
export function identityIndices(shape: readonly number[], from = 0): Index[] {
  let next = from;
  return shape.map((extent) => (extent === 1 ? constantIndex(0) : axisIndex(next++)));
}

const reaches: readonly Reach[] = ["point", "row", "anywhere"];
const farther = (a: Reach, b: Reach): Reach => reaches[Math.max(reaches.indexOf(a), reaches.indexOf(b))];

/** What an expression over a shape reads, found by writing it out once. */
export function findReads(
  block: Block,
  shape: readonly number[],
  write: (lowering: Lowering, indices: readonly Index[]) => void,
): { readonly reads: Reads; readonly weight: number } {
  const outer = outerSpace(shape);
  const whole = withoutUnits(shape);
  const reads = new Map<Variable, Reach>();
  const note = (variable: Variable, reach: Reach, dtype: DType): Expression => {
    const before = reads.get(variable) ?? "point";
    reads.set(variable, farther(before, reach));
    return { kind: "reduced", id: -variable.id, dtype, reduction: variable.id };
  };
  const build = new ExpressionBuilder(whole);
  const lowering = new Lowering(block, build, {
    at: (variable, indices) => {
      if (!block.stored.has(variable)) return null;
      const own = outerSpace(variable.type.shape);
      const significant = indices.filter((_, axis) => variable.type.shape[axis] !== 1);
      const follows = (space: readonly number[], of: readonly number[]) =>
        of.length === space.length &&
        of.every((extent, axis) => extent === space[axis] && isAxis(significant[axis], axis));
      const isScattered =
        block.gathering.has(variable) && significant.some(({ computed }) => computed.length > 0);
      const reach = isScattered
        ? "anywhere"
        : follows(whole, withoutUnits(variable.type.shape))
          ? "point"
          : follows(outer, own)
            ? "row"
            : "anywhere";
      return note(variable, reach, variable.type.dtype);
    },
    linear: (variable) => note(variable, "anywhere", variable.type.dtype),
  });
  write(lowering, identityIndices(shape));
  return { reads, weight: build.size };
}
