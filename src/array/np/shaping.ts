// NumPy's functions that rearrange elements without computing on them.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray, broadcastTo as broadcastArray } from "../core/coerce.js";
import { describe, fail } from "../core/errors.js";
import {
  checkShape,
  insertAt,
  normalizeAxes,
  normalizeAxis,
  range,
  replaceAt,
  sameShape,
  showShape,
  sizeOf,
  without,
  type Axes,
  type Shape,
} from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import { broadcast } from "../primitives/broadcast.js";
import * as primitives from "../primitives/reshape.js";

/** The same elements in another shape; one extent may be -1 and is worked out. */
export const reshape = checked("np.reshape", 2, (x: ArrayLike, shape: number | Shape): Array => {
  const array = asArray("reshape", x);
  const wanted = typeof shape === "number" ? [shape] : shape;
  const open = globalThis.Array.isArray(wanted) ? wanted.indexOf(-1) : -1;
  if (open < 0) return toShape(array, checkShape("reshape", wanted));
  const others = sizeOf(checkShape("reshape", without(wanted, [open])));
  const extent = array.size / others;
  if (!Number.isInteger(extent)) {
    fail(
      "reshape",
      `cannot arrange the ${array.size} elements of ${showType(array.type)} as ${showShape(wanted)}`,
    );
  }
  return toShape(array, replaceAt(wanted, open, extent));
});

const toShape = (array: Array, shape: Shape): Array =>
  sameShape(array.shape, shape) ? array : bindOne(primitives.reshape, [array], { shape });

/** All elements in one dimension. */
export const ravel = checked("np.ravel", 1, (x: ArrayLike): Array => reshape(x, -1));

/** Axes in the given order, or reversed. */
export const transpose = checked(
  "np.transpose",
  2,
  (x: ArrayLike, axes?: readonly number[] | null): Array => {
    const array = asArray("transpose", x);
    if (typeof axes === "number" || typeof axes === "string") {
      fail("transpose", `the axes must be a list, got ${describe(axes)}`);
    }
    const order =
      axes?.map((axis) => normalizeAxis("transpose", axis, array.ndim)) ?? range(array.ndim).reverse();
    if (order.every((axis, at) => axis === at) && order.length === array.ndim) return array;
    return bindOne(primitives.transpose, [array], { permutation: order });
  },
);
export const permuteDims = transpose;

/** Two axes exchanged. */
export const swapaxes = checked("np.swapaxes", 3, (x: ArrayLike, a: number, b: number): Array => {
  const array = asArray("swapaxes", x);
  const [first, second] = [a, b].map((axis) => normalizeAxis("swapaxes", axis, array.ndim)) as [
    number,
    number,
  ];
  const order = range(array.ndim);
  order[first] = second;
  order[second] = first;
  return transpose(array, order);
});

/** Axes moved to new positions, the others keeping their order. */
export const moveaxis = checked(
  "np.moveaxis",
  3,
  (x: ArrayLike, source: number | readonly number[], destination: number | readonly number[]): Array => {
    const array = asArray("moveaxis", x);
    const normalize = (axes: number | readonly number[]) =>
      [axes].flat().map((axis) => normalizeAxis("moveaxis", axis, array.ndim));
    const [from, to] = [normalize(source), normalize(destination)];
    if (from.length !== to.length || new Set(from).size !== from.length || new Set(to).size !== to.length) {
      fail(
        "moveaxis",
        `source ${showShape(from)} and destination ${showShape(to)} must be distinct axes in pairs`,
      );
    }
    let order = without(range(array.ndim), from);
    const pairs = to.map((at, index) => [at, from[index]] as const).sort((a, b) => a[0] - b[0]);
    for (const [at, axis] of pairs) order = insertAt(order, at, axis);
    return transpose(array, order);
  },
);

/** New axes of extent 1 at the given positions of the result. */
export const expandDims = checked(
  "np.expandDims",
  2,
  (x: ArrayLike, axis: number | readonly number[]): Array => {
    const array = asArray("expandDims", x);
    const count = typeof axis === "number" ? 1 : axis.length;
    const axes = normalizeAxes("expandDims", axis, array.ndim + count);
    return toShape(
      array,
      axes.reduce<Shape>((shape, at) => insertAt(shape, at, 1), array.shape),
    );
  },
);

/** Without axes of extent 1: the given ones, or all of them. */
export const squeeze = checked("np.squeeze", 2, (x: ArrayLike, axis?: Axes): Array => {
  const array = asArray("squeeze", x);
  const axes =
    axis === undefined || axis === null
      ? range(array.ndim).filter((at) => array.shape[at] === 1)
      : normalizeAxes("squeeze", axis, array.ndim);
  const wide = axes.find((at) => array.shape[at] !== 1);
  if (wide !== undefined) {
    fail("squeeze", `axis ${wide} of ${showType(array.type)} has extent ${array.shape[wide]}, not 1`);
  }
  return toShape(array, without(array.shape, axes));
});

/** The array repeated to a larger shape by NumPy's rule. */
export const broadcastTo = checked("np.broadcastTo", 2, (x: ArrayLike, shape: number | Shape): Array =>
  broadcastArray("broadcastTo", asArray("broadcastTo", x), checkShape("broadcastTo", shape)),
);

/** The order along axes reversed; all axes by default. */
export const flip = checked("np.flip", 2, (x: ArrayLike, axis?: Axes): Array => {
  const array = asArray("flip", x);
  return bindOne(primitives.flip, [array], { axes: normalizeAxes("flip", axis, array.ndim) });
});

/** The whole array repeated `reps` times along each axis. */
export const tile = checked("np.tile", 2, (x: ArrayLike, reps: number | readonly number[]): Array => {
  const array = asArray("tile", x);
  const counts = checkShape("tile", reps);
  const ndim = Math.max(counts.length, array.ndim);
  const times = [...range(ndim - counts.length).map(() => 1), ...counts];
  const extents = [...range(ndim - array.ndim).map(() => 1), ...array.shape];
  const interleaved = extents.flatMap((extent, at) => [times[at], extent]);
  const axes = range(array.ndim).map((axis) => 2 * (ndim - array.ndim + axis) + 1);
  const wide = bindOne(broadcast, [array], { shape: interleaved, axes });
  return reshape(
    wide,
    extents.map((extent, at) => extent * times[at]),
  );
});
