// Rows: the points of a kernel with one index along an axis, such as that of a batch. Where the rows of a kernel touch rows
// of memory, workers that own rows need not wait for each other, from one kernel to the next.
import { itemSize } from "../../array/index.js";
import type { Buffer, DotOperand, Kernel, Place, Store } from "../kernel.js";
import { extentsOf, loadsOf } from "../walk.js";

/** So many rows along an axis of a kernel's points. */
export interface Rows {
  readonly axis: number;
  readonly count: number;
}

/**
 * Whose rows bytes are: from a start on, each row has so many bytes, and after so many rows the first follows again. What
 * touches memory only in this order touches for each row bytes of its own, the same for all that have it.
 */
export interface Layout {
  readonly start: number;
  readonly pitch: number;
  readonly count: number;
}

/** A buffer that a kernel touches, and how its rows lie there, counted from where the buffer starts; null if they do not. */
export interface RowAccess {
  readonly buffer: Buffer;
  readonly isWrite: boolean;
  readonly layout: Layout | null;
}

/** The first axis of at least so many steps along which the points of a kernel can be done apart; null for none. */
export function rowsAlong(kernel: Kernel, least: number): Rows | null {
  const extents = freeExtents(kernel);
  const axis = extents.findIndex((extent) => extent >= least);
  return axis < 0 ? null : { axis, count: extents[axis] };
}

/** The axes along which a kernel can be cut into rows: not those that it sums over, nor the columns of a product. */
function freeExtents(kernel: Kernel): readonly number[] {
  switch (kernel.kind) {
    case "loop":
      return kernel.order === "free" ? kernel.extents.slice(0, kernel.outer) : [];
    case "dot":
      return [...kernel.batch, ...kernel.rows];
    case "sort":
    case "copy":
    case "print":
    case "exchange":
    case "axisIndex":
      return [];
  }
}

/** All that the rows of a kernel read and write. */
export function rowAccesses(kernel: Kernel, { axis, count }: Rows): RowAccess[] {
  if (kernel.kind !== "loop" && kernel.kind !== "dot") throw new Error(`${kernel.name} has no rows`);
  const extents = extentsOf(kernel);
  const access = (
    place: Place & { readonly computed?: readonly unknown[] },
    strides: readonly number[],
    depth: readonly Span[],
    isWrite: boolean,
  ): RowAccess => {
    const others = [
      ...extents.flatMap((extent, at) => (at === axis ? [] : [{ extent, stride: strides[at] ?? 0 }])),
      ...depth,
    ];
    const isKnown = (place.computed?.length ?? 0) === 0;
    const layout = isKnown ? layoutOf(place, strides[axis] ?? 0, others, count) : null;
    return { buffer: place.buffer, isWrite, layout };
  };
  const store = ({ address }: Store) => access(address, address.strides, [], true);
  const loads = loadsOf(kernel).all.map((address) => access(address, address.strides, [], false));
  if (kernel.kind === "loop") return [...loads, ...[...kernel.body, ...kernel.after].map(store)];
  const operand = (side: DotOperand, strides: readonly number[]) =>
    access(
      side,
      strides,
      kernel.depth.map((extent, at) => ({ extent, stride: side.depth[at] })),
      false,
    );
  const { left, right, rows } = kernel;
  return [
    operand(left, [...left.batch, ...left.free]),
    operand(right, [...right.batch, ...rows.map(() => 0), ...right.free]),
    ...loads,
    ...kernel.stores.map(store),
  ];
}

/** How the steps of the depth, so many elements apart, lie in an operand of a product. */
export const depthAccess = (
  place: Place,
  stride: number,
  count: number,
  others: readonly Span[],
): RowAccess => ({
  buffer: place.buffer,
  isWrite: false,
  layout: layoutOf(place, stride, others, count),
});

/** An axis, or the counter of a loop around: so many steps of so many elements. */
export interface Span {
  readonly extent: number;
  readonly stride: number;
}

function layoutOf(
  { buffer, offset, counters }: Place,
  stride: number,
  others: readonly Span[],
  count: number,
): Layout | null {
  if (stride <= 0) return null;
  const period = stride * count;
  const spans = [
    ...others,
    ...counters.map(({ counter, stride: step }) => ({ extent: counter.length, stride: step })),
  ];
  let low = ((offset % stride) + stride) % stride;
  let high = low;
  const start = offset - low;
  for (const span of spans) {
    // From whole periods to whole periods rows stay what they are.
    if (span.stride % period === 0) continue;
    const reach = (span.extent - 1) * span.stride;
    if (reach < 0) low += reach;
    else high += reach;
  }
  if (low < 0 || high >= stride) return null;
  const bytes = itemSize(buffer.dtype);
  return { start: start * bytes, pitch: stride * bytes, count };
}

/** Whether rows of both are the same bytes. */
export const isSameLayout = (a: Layout, b: Layout): boolean =>
  a.count === b.count && a.pitch === b.pitch && (a.start - b.start) % (a.count * a.pitch) === 0;
