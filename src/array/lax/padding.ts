// Padding of windows: given as a name or as widths, before and after each axis.
import { describe, fail } from "../core/errors.js";
import type { Array } from "../core/array.js";
import { constant } from "../core/interpret.js";
import { checkWhole } from "../core/rules.js";
import type { Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { pad } from "../primitives/slice.js";

export type Pair = readonly [number, number];

/**
 * Padding before and after each axis: none, as much as keeps ⌈n / stride⌉ windows (of an odd number the larger
 * half behind, or with "SAME_LOWER" before), or as given.
 */
export type Padding = "VALID" | "SAME" | "SAME_LOWER" | readonly Pair[];

/** Refuses what is not a list with a whole number for each axis. */
export function checkNumbers(
  operation: string,
  name: string,
  list: unknown,
  length: number,
  least?: number,
): void {
  if (!globalThis.Array.isArray(list) || list.length !== length) {
    const given = globalThis.Array.isArray(list) ? `[${list.join()}]` : describe(list);
    fail(operation, `${name} must be a list of ${length} whole numbers, got ${given}`);
  }
  for (const value of list) checkWhole(operation, name, value, least);
}

/** The widths of a padding along axes of these extents, for windows that reach over `sizes` elements. */
export function paddingWidths(
  operation: string,
  padding: Padding,
  extents: Shape,
  sizes: Shape,
  strides: Shape,
): readonly Pair[] {
  if (padding === "VALID") return extents.map(() => [0, 0] as const);
  if (padding === "SAME" || padding === "SAME_LOWER") {
    return extents.map((extent, at): Pair => {
      const windows = Math.ceil(extent / strides[at]);
      const total = Math.max(0, (windows - 1) * strides[at] + sizes[at] - extent);
      const [less, more] = [Math.floor(total / 2), Math.ceil(total / 2)];
      return padding === "SAME" ? [less, more] : [more, less];
    });
  }
  if (!globalThis.Array.isArray(padding) || padding.length !== extents.length) {
    fail(
      operation,
      `padding must be "SAME", "SAME_LOWER", "VALID" or one pair [before, after] for each of ${extents.length} axes, ` +
        `got ${describe(padding)}`,
    );
  }
  for (const pair of padding as readonly unknown[]) checkNumbers(operation, "padding", pair, 2);
  return padding as readonly Pair[];
}

/** An array with a value around it and, along each axis, `dilation` − 1 times between its elements. */
export function surround(
  x: Array,
  value: number | Array,
  widths: readonly Pair[],
  dilation: readonly number[],
): Array {
  if (widths.every(([low, high]) => low === 0 && high === 0) && dilation.every((by) => by === 1)) return x;
  const filler = typeof value === "number" ? constant(value, x.dtype) : value;
  return bindOne(pad, [x, filler], {
    low: widths.map(([low]) => low),
    high: widths.map(([, high]) => high),
    interior: dilation.map((by) => by - 1),
  });
}
