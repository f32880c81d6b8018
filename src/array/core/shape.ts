// Arithmetic on shapes and axes: pure functions of lists of numbers.
import { describe, fail } from "./errors.js";

/** The extent of each axis; `[]` is a scalar. */
export type Shape = readonly number[];

export const sizeOf = (shape: Shape): number => shape.reduce((product, extent) => product * extent, 1);

export const range = (count: number, start = 0): number[] =>
  globalThis.Array.from({ length: count }, (_, index) => start + index);

export const sameShape = (a: Shape, b: Shape): boolean =>
  a === b || (a.length === b.length && a.every((extent, axis) => extent === b[axis]));

export const showShape = (shape: Shape): string => `[${shape.join(",")}]`;

/** How far apart neighbours along each axis lie in row-major storage. */
export function stridesOf(shape: Shape): number[] {
  const strides = new globalThis.Array<number>(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

/** Refuses what is not a list of non-negative integers. */
export function checkShape(operation: string, shape: unknown): Shape {
  const list: unknown = typeof shape === "number" ? [shape] : shape;
  if (!globalThis.Array.isArray(list)) {
    fail(operation, `the shape must be a list of integers, got ${describe(shape)}`);
  }
  for (const extent of list as unknown[]) {
    if (typeof extent !== "number" || !Number.isInteger(extent) || extent < 0) {
      fail(
        operation,
        `the shape must be a list of non-negative integers known while tracing, got ${describe(extent)} in it`,
      );
    }
  }
  // A copy: the caller may change theirs.
  return [...(list as Shape)];
}

/** An axis counted from the front; negative axes count from the back. */
export function normalizeAxis(operation: string, axis: number, ndim: number): number {
  if (!Number.isInteger(axis) || axis < -ndim || axis >= ndim) {
    fail(
      operation,
      ndim === 0
        ? `axis ${axis} given, but a scalar has no axes`
        : `axis ${axis} is out of range for ${ndim} dimension${ndim === 1 ? "" : "s"}; it must be ${-ndim} to ${ndim - 1}`,
    );
  }
  return axis < 0 ? axis + ndim : axis;
}

/** Which axes: one, several, or all (`null` or left out). */
export type Axes = number | readonly number[] | null;

/** The axes counted from the front, ascending; `null` means all of them. */
export function normalizeAxes(operation: string, axes: Axes | undefined, ndim: number): number[] {
  if (axes === null || axes === undefined) return range(ndim);
  if (typeof axes !== "number" && !globalThis.Array.isArray(axes)) {
    fail(operation, `axis must be a number, a list of numbers or null, got ${describe(axes)}`);
  }
  const list = (typeof axes === "number" ? [axes] : (axes as readonly number[])).map((axis) =>
    normalizeAxis(operation, axis, ndim),
  );
  if (new Set(list).size !== list.length) fail(operation, `axes ${showShape(list)} name an axis twice`);
  return list.sort((a, b) => a - b);
}

/** The shape that operands of these shapes broadcast to, by NumPy's rule. */
export function broadcastShapes(operation: string, ...shapes: readonly Shape[]): Shape {
  const ndim = Math.max(0, ...shapes.map((shape) => shape.length));
  const result = new globalThis.Array<number>(ndim).fill(1);
  for (const shape of shapes) {
    for (let axis = 0; axis < shape.length; axis++) {
      const at = ndim - shape.length + axis;
      const extent = shape[axis];
      if (result[at] === 1) result[at] = extent;
      else if (extent !== 1 && extent !== result[at]) {
        fail(
          operation,
          `shapes ${shapes.map(showShape).join(" and ")} do not broadcast: ` +
            `counted from the back, axis ${ndim - at} has extents ${result[at]} and ${extent}`,
        );
      }
    }
  }
  return result;
}

/** The order that undoes a permutation of axes. */
export function invertPermutation(permutation: readonly number[]): number[] {
  const inverse = new globalThis.Array<number>(permutation.length);
  permutation.forEach((from, to) => (inverse[from] = to));
  return inverse;
}

/** A list without the elements at `positions`. */
export const without = <T>(list: readonly T[], positions: readonly number[]): T[] =>
  list.filter((_, index) => !positions.includes(index));

/** A list with `value` put in before `position`. */
export const insertAt = <T>(list: readonly T[], position: number, value: T): T[] => [
  ...list.slice(0, position),
  value,
  ...list.slice(position),
];

/** A list with the element at `position` replaced. */
export const replaceAt = <T>(list: readonly T[], position: number, value: T): T[] =>
  list.map((old, index) => (index === position ? value : old));
