// The units of fusion: writing an array element by element, and reducing one. Each knows its index space and
// which arrays it reads, so that units over the same space can share a loop.
import type { Atom, DType, Variable } from "../../array/index.js";
import type { Expression, Place, Reduce } from "../kernel.js";
import type { Block } from "./block.js";
import { ExpressionBuilder, isAxis, type Index } from "./expressions.js";
import { Lowering } from "./lower.js";
import { identityIndices, outerSpace, withoutUnits } from "./space.js";

/** Where a node's points lie: in a variable that it defines, in a part of one, or where an output shall be. */
export type Target =
  | { readonly kind: "whole"; readonly variable: Variable }
  | { readonly kind: "part"; readonly of: Variable; readonly axis: number; readonly start: number }
  | { readonly kind: "place"; readonly place: Place };

/** Writes a value at every point of an index space: the definition of a variable, or another atom. */
export interface PointNode {
  readonly kind: "point";
  readonly shape: readonly number[];
  readonly value: Atom;
  readonly target: Target;
  /** The variable that this defines; null for parts of one, and for copies. */
  readonly variable: Variable | null;
  readonly reads: Reads;
  /** Expressions that it takes. */
  readonly weight: number;
}

/** The value of a node at given indices. */
export const valueOf = (
  { value, variable }: Pick<PointNode, "value" | "variable">,
  lowering: Lowering,
  indices: readonly Index[],
): Expression => (variable === null ? lowering.at(value, indices) : lowering.definition(variable, indices));

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

const reaches: readonly Reach[] = ["point", "row", "anywhere"];
const farther = (a: Reach, b: Reach): Reach => reaches[Math.max(reaches.indexOf(a), reaches.indexOf(b))];

/** What an expression over a shape reads, found by writing it out once. */
export function findReads(
  block: Block,
  shape: readonly number[],
  write: (lowering: Lowering, indices: readonly Index[]) => void,
): { readonly reads: Reads; readonly weight: number } {
  const outer = outerSpace(shape, block.isRowWritten);
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
      const own = outerSpace(variable.type.shape, block.isRowWritten);
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
