// From one layout to another, and from the devices' parts of a sum to a layout of the whole.
import type { Array } from "../core/array.js";
import { constant } from "../core/interpret.js";
import type { Primitive } from "../core/primitive.js";
import { replaceAt } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import {
  allGather,
  allToAll,
  axisIndex,
  psum,
  psumScatter,
  type CollectiveParams,
} from "../primitives/collectives.js";
import { dynamicSlice } from "../primitives/dynamicSlice.js";
import type { Layout } from "../sharding/axes.js";
import { commonPrefix, countOf, sameLayout, type AxisSizes } from "./layouts.js";

/** Where a device's block begins along a dimension of `extent` elements, split along these axes. */
export const blockStart = (names: readonly string[], extent: number, sizes: AxisSizes): Array =>
  bindOne(axisIndex, [], { axes: names }).mul(constant(extent / countOf(names, sizes), "int32"));

/** A block in another layout. `tell` hears what has to be gathered for it. */
export function reshard(
  block: Array,
  from: Layout,
  to: Layout,
  sizes: AxisSizes,
  tell: (names: readonly string[]) => void,
): Array {
  if (sameLayout(from, to)) return block;
  const moved = exchange(block, from, to, sizes);
  let value = moved?.value ?? block;
  let layout = moved?.layout ?? from;
  layout.forEach((names, dimension) => {
    const kept = commonPrefix(names, to[dimension]);
    const axes = names.slice(kept);
    if (axes.length === 0) return;
    tell(axes);
    value = bindOne(allGather, [value], { axes, axis: dimension, size: countOf(axes, sizes) });
    layout = replaceAt(layout, dimension, names.slice(0, kept));
  });
  return cut(value, layout, to, sizes);
}

/** The part of a block that a finer layout leaves to this device. */
function cut(value: Array, from: Layout, to: Layout, sizes: AxisSizes): Array {
  if (sameLayout(from, to)) return value;
  const extra = to.map((names, dimension) => names.slice(from[dimension].length));
  const starts = extra.map((names, dimension) =>
    names.length === 0 ? constant(0, "int32") : blockStart(names, value.shape[dimension], sizes),
  );
  const shape = value.shape.map((extent, dimension) => extent / countOf(extra[dimension], sizes));
  return bindOne(dynamicSlice, [value, ...starts], { sizes: shape });
}

/** An axis that goes from the end of one dimension's list to the end of another's: every device swaps with every. */
function exchange(
  block: Array,
  from: Layout,
  to: Layout,
  sizes: AxisSizes,
): { readonly value: Array; readonly layout: Layout } | null {
  for (const [join, names] of from.entries()) {
    const name = names.at(-1);
    if (name === undefined || commonPrefix(names, to[join]) !== names.length - 1) continue;
    if (to[join].length >= names.length) continue;
    const split = to.findIndex(
      (wanted, dimension) =>
        wanted.at(-1) === name &&
        wanted.length === from[dimension].length + 1 &&
        commonPrefix(wanted, from[dimension]) === from[dimension].length,
    );
    const size = sizes.get(name) ?? 1;
    if (split < 0 || block.shape[split] % size !== 0) continue;
    const value = bindOne(allToAll, [block], { axes: [name], size, split, join });
    const left = replaceAt(from, join, names.slice(0, -1));
    return { value, layout: replaceAt(left, split, to[split]) };
  }
  return null;
}

/**
 * The whole of what devices along `axes` have parts of, in the layout `to` as far as that comes with it: a sum of
 * which each device needs a block only is scattered.
 */
export function combineParts(
  part: Array,
  collective: Primitive<CollectiveParams>,
  axes: readonly string[],
  from: Layout,
  to: Layout,
  sizes: AxisSizes,
): { readonly value: Array; readonly layout: Layout } {
  let value = part;
  let layout = from;
  let left = axes;
  if (collective === psum) {
    to.forEach((wanted, dimension) => {
      const own = layout[dimension];
      if (commonPrefix(own, wanted) !== own.length) return;
      const extra = wanted.slice(own.length);
      const scattered = extra.slice(
        0,
        prefixLength(extra, (name) => left.includes(name)),
      );
      if (scattered.length === 0) return;
      value = bindOne(psumScatter, [value], {
        ...{ axes: scattered, axis: dimension, size: countOf(scattered, sizes) },
      });
      layout = replaceAt(layout, dimension, [...own, ...scattered]);
      left = left.filter((name) => !scattered.includes(name));
    });
  }
  if (left.length > 0) value = bindOne(collective, [value], { axes: left });
  return { value, layout };
}

function prefixLength<T>(list: readonly T[], holds: (item: T) => boolean): number {
  const end = list.findIndex((item) => !holds(item));
  return end < 0 ? list.length : end;
}
