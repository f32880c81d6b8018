// Arithmetic of layouts: which axes split which dimension, and what block that leaves to one device.
import type { Shape } from "../core/shape.js";
import { arrayType, type ArrayType } from "../core/type.js";
import type { Layout, NamedAxis } from "../sharding/axes.js";

/** The sizes of the axes, by name. */
export type AxisSizes = ReadonlyMap<string, number>;

export const sizesOf = (axes: readonly NamedAxis[]): AxisSizes =>
  new Map(axes.map(({ name, size }) => [name, size]));

/** How many blocks some axes make. */
export const countOf = (names: readonly string[], sizes: AxisSizes): number =>
  names.reduce((product, name) => product * (sizes.get(name) ?? 1), 1);

export const sameLayout = (a: Layout, b: Layout): boolean =>
  a.length === b.length && a.every((names, dimension) => sameNames(names, b[dimension]));

export const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, at) => name === b[at]);

/** Every axis that a layout mentions. */
export const axesIn = (layout: Layout): string[] => layout.flat();

/** The shape of one block. */
export const blockShape = (shape: Shape, layout: Layout, sizes: AxisSizes): Shape =>
  shape.map((extent, dimension) => extent / countOf(layout[dimension], sizes));

export const blockType = ({ shape, dtype, weak }: ArrayType, layout: Layout, sizes: AxisSizes): ArrayType =>
  arrayType(blockShape(shape, layout, sizes), dtype, weak);

/** `[batch, ·]`: for listings and messages. */
export const showLayout = (layout: Layout): string =>
  `[${layout.map((names) => (names.length === 0 ? "·" : names.join("·"))).join(", ")}]`;

/** How many leading names two lists have in common. */
export function commonPrefix(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
