// Programs for any number of observations: two recordings with different batches show which extents depend on it.
import { fail, type Equation, type Program, type Shape, type Variable } from "../../array/index.js";
import type { KnownProgram } from "../program.js";

/** An extent: a number, or so many times the number of observations. */
export type Extent = number | { readonly batches: number };

/** The batches that programs are recorded with. */
export const [smallBatch, largeBatch] = [2, 3] as const;

/** Which extents of a program's values depend on the batch. */
export type ExtentsOf = (variable: Variable) => readonly Extent[];

const fixed = "give batch, a number of observations, so that all extents are known";

/** Shapes as they are: of a program with one batch. */
export const plainExtents: ExtentsOf = ({ type }) => type.shape;

function extentOf(operation: string, small: number, large: number, what: string): Extent {
  if (small === large) return small;
  const batches = small / smallBatch;
  if (Number.isInteger(batches) && large === batches * largeBatch) return { batches };
  return fail(operation, `an extent of ${what} depends on the batch in a way that ONNX cannot say; ${fixed}`);
}

/** Extents of the first program's values, by comparison with the second, which is the same with another batch. */
export function comparedExtents(operation: string, small: KnownProgram, large: KnownProgram): ExtentsOf {
  const twins = new Map<Variable, Shape>();
  pairs(operation, small.program, large.program, (one, other) => twins.set(one, other.type.shape));
  return (variable) => {
    const other = twins.get(variable) ?? variable.type.shape;
    return variable.type.shape.map((extent, axis) =>
      extentOf(operation, extent, other[axis], `[${variable.type.shape.join()}]`),
    );
  };
}

/** Parameters that say shapes, which the extents of results say as well. */
const shapeParams = ["reshape", "broadcast", "iota", "slice"];

/** Calls `visit` with every variable of a program and the one in its place in another. */
function pairs(
  operation: string,
  one: Program,
  other: Program,
  visit: (one: Variable, other: Variable) => void,
): void {
  const isAlike =
    one.equations.length === other.equations.length &&
    one.inputs.length === other.inputs.length &&
    one.equations.every((equation, at) => isSameKind(equation, other.equations[at]));
  if (!isAlike) fail(operation, `the network does other things with other batches; ${fixed}`);
  one.inputs.forEach((input, at) => visit(input, other.inputs[at]));
  one.equations.forEach((equation, at) =>
    equation.outputs.forEach((output, index) => visit(output, other.equations[at].outputs[index])),
  );
}

const isSameKind = (one: Equation, other: Equation): boolean =>
  one.primitive === other.primitive &&
  one.inputs.length === other.inputs.length &&
  (shapeParams.includes(one.primitive.name) || one.params === other.params || isSameData(one, other));

const isSameData = ({ params: one }: Equation, { params: other }: Equation): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export const isSameExtent = (a: Extent, b: Extent): boolean =>
  typeof a === "number" || typeof b === "number" ? a === b : a.batches === b.batches;
