// Arrays as the blocks that devices have of them, with one dimension in front for each axis that splits the array.
import type { Array } from "../core/array.js";
import { range, without, type Shape } from "../core/shape.js";
import { arrayType, type ArrayType } from "../core/type.js";
import { permute, permuteBack } from "../primitives/reshape.js";
import { repeatBatch } from "../primitives/linear.js";
import { countAlong, type Layout, type NamedAxis } from "./axes.js";

/** The axes of these names, in the order of the names. */
export const axesOf = (names: readonly string[], axes: readonly NamedAxis[]): NamedAxis[] =>
  names.flatMap((name) => axes.filter((axis) => axis.name === name));

/** Whether a layout splits any dimension along an axis. */
export const mentions = (layout: Layout, name: string): boolean =>
  layout.some((names) => names.includes(name));

/** The axes along which all devices have the same block. */
export const unmentioned = (layout: Layout, axes: readonly NamedAxis[]): NamedAxis[] =>
  axes.filter(({ name }) => !mentions(layout, name));

/** The type of the block that a device has. */
export const blockType = ({ shape, dtype, weak }: ArrayType, layout: Layout, axes: readonly NamedAxis[]) =>
  arrayType(
    shape.map((extent, at) => extent / countAlong(axesOf(layout[at], axes))),
    dtype,
    weak,
  );

/** The type of an array of which devices have blocks. */
export const wholeType = ({ shape, dtype, weak }: ArrayType, layout: Layout, axes: readonly NamedAxis[]) =>
  arrayType(
    shape.map((extent, at) => extent * countAlong(axesOf(layout[at], axes))),
    dtype,
    weak,
  );

/** The shape of an array with each dimension cut along its axes, and where each of these has its dimension. */
function cut(block: Shape, layout: Layout, axes: readonly NamedAxis[]) {
  const shape: number[] = [];
  const place = new Map<string, number>();
  block.forEach((extent, at) => {
    for (const { name, size } of axesOf(layout[at], axes)) place.set(name, shape.push(size) - 1);
    shape.push(extent);
  });
  const inFront = axes.flatMap(({ name }) => place.get(name) ?? []);
  return { shape, order: [...inFront, ...without(range(shape.length), inFront)] };
}

/** The blocks of an array, with the axes that split it in front, in the order of `axes`. */
export function toBlocks(x: Array, layout: Layout, axes: readonly NamedAxis[]): Array {
  const { shape, order } = cut(blockType(x.type, layout, axes).shape, layout, axes);
  return permute(x.reshape(shape), order);
}

/**
 * The array that blocks make up. In front of them are the axes for which `differs` is set, in the order of `axes`; of
 * blocks along an axis that the layout does not mention, the first counts.
 */
export function fromBlocks(
  blocks: Array,
  layout: Layout,
  axes: readonly NamedAxis[],
  differs: readonly boolean[],
): Array {
  let all = blocks;
  let place = 0;
  axes.forEach(({ name, size }, at) => {
    const isSplit = mentions(layout, name);
    if (isSplit && !differs[at]) {
      const front = repeatBatch(all, size);
      all = permute(front, [...range(place, 1), 0, ...range(all.ndim - place, place + 1)]);
    } else if (!isSplit && differs[at]) all = all.slice(...range(place).map(() => ":"), 0);
    if (isSplit) place++;
  });
  const block = { ...all.type, shape: all.shape.slice(place) };
  const { order } = cut(block.shape, layout, axes);
  return permuteBack(all, order).reshape(wholeType(block, layout, axes).shape);
}
