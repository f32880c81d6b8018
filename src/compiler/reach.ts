// Which elements of its buffer an address can name, over all points of a kernel and all iterations around it.
import type { Address, Expression } from "./kernel.js";

/** The smallest and the largest of some integers. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

const anywhere: Range = { low: -(2 ** 31), high: 2 ** 31 - 1 };

/** The values of a computed index: known where it is held within bounds, at its outermost levels. */
function rangeOf(index: Expression, extents: readonly number[], levels = 3): Range {
  if (index.kind === "constant") return { low: index.value, high: index.value };
  if (index.kind === "axis") return { low: 0, high: Math.max(0, extents[index.axis] - 1) };
  if (levels === 0 || index.kind !== "operation" || (index.name !== "min" && index.name !== "max"))
    return anywhere;
  const [a, b] = index.inputs.map((input) => rangeOf(input, extents, levels - 1));
  const choose = index.name === "min" ? Math.min : Math.max;
  return { low: choose(a.low, b.low), high: choose(a.high, b.high) };
}

/** The positions in its buffer that an address names in a kernel of given extents. */
export function reachOf({ offset, strides, counters, computed }: Address, extents: readonly number[]): Range {
  let [low, high] = [offset, offset];
  const add = (range: Range, stride: number): void => {
    low += Math.min(range.low * stride, range.high * stride);
    high += Math.max(range.low * stride, range.high * stride);
  };
  strides.forEach((stride, axis) => add({ low: 0, high: Math.max(0, extents[axis] - 1) }, stride));
  counters.forEach(({ counter, stride }) => add({ low: 0, high: counter.length - 1 }, stride));
  computed.forEach(({ index, stride }) => add(rangeOf(index, extents), stride));
  return { low, high };
}

/** Whether an address names elements of its buffer only. */
export function staysInside(address: Address, extents: readonly number[]): boolean {
  const { low, high } = reachOf(address, extents);
  return low >= 0 && high < address.buffer.size;
}
