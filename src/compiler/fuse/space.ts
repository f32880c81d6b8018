// Index spaces: the axes of a shape that loops run over, and those that are written out.
import { smallExtent } from "../primitives/entry.js";
import { axisIndex, constantIndex, type Index } from "./expressions.js";

/** The extents that are not 1. */
export const withoutUnits = (shape: readonly number[]): number[] => shape.filter((extent) => extent !== 1);

/** Whether a reshape only adds or drops axes of extent 1. */
export const isTrivialReshape = (from: readonly number[], to: readonly number[]): boolean =>
  isSpace(withoutUnits(from), withoutUnits(to));

export const isSpace = (shape: readonly number[], space: readonly number[]): boolean =>
  shape.length === space.length && shape.every((extent, at) => extent === space[at]);

/**
 * The loop's part of an index space: short axes at the end are left to be written out, if something is left
 * to loop over. That can be an axis of a single row, if `isRowWritten`.
 */
export function outerSpace(shape: readonly number[], isRowWritten = false): number[] {
  const extents = isRowWritten ? [...shape] : withoutUnits(shape);
  let inner = 1;
  while (extents.length > 1 && inner * extents[extents.length - 1] <= smallExtent) {
    inner *= extents.pop() as number;
  }
  return isRowWritten ? withoutUnits(extents) : extents;
}

/** One index per axis of a shape: those given for the axes that are not of extent 1, in order. */
export function spread(shape: readonly number[], indices: readonly Index[]): Index[] {
  let next = 0;
  return shape.map((extent) => (extent === 1 ? constantIndex(0) : indices[next++]));
}

/** One index per axis of a shape: the kernel's axes in order. */
export const identityIndices = (shape: readonly number[]): Index[] =>
  spread(
    shape,
    withoutUnits(shape).map((_, axis) => axisIndex(axis)),
  );
