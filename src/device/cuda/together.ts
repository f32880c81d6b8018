// Which results of a program are fetched together: a copy from a GPU takes some ten microseconds, however small it is.
import { itemSize, sizeOf } from "../../array/index.js";
import type { Slot } from "../../compiler/index.js";
import type { Span } from "./fetching.js";

/** Results of more bytes are fetched by themselves. */
const smallBytes = 2 ** 16;
/** So many bytes are copied together at most: some ten microseconds as well. */
const mostTogether = 2 ** 18;
/** Bytes between two results that are copied along rather than left out. */
const gapBytes = 2 ** 12;

/** Results that are fetched together: the memory that they lie in, and where each begins in a copy of it. */
export interface Group {
  readonly spans: readonly Span[];
  readonly places: ReadonlyMap<Slot, number>;
}

const bytesOf = ({ dtype, shape }: Slot): number => itemSize(dtype) * sizeOf(shape);

/** The group of each small result. */
export function groupsOf(outputs: readonly Slot[]): ReadonlyMap<Slot, Group> {
  const small = [...new Set(outputs)]
    .filter((slot) => bytesOf(slot) > 0 && bytesOf(slot) <= smallBytes)
    .sort((a, b) => a.address - b.address);
  const groups = new Map<Slot, Group>();
  let [spans, places, total] = [[] as Span[], new Map<Slot, number>(), 0];
  for (const slot of small) {
    const size = bytesOf(slot);
    const last = spans.at(-1);
    const end = last === undefined ? 0 : last.address + last.size;
    const isNear = last !== undefined && slot.address - end <= gapBytes;
    // Two results may be one piece of memory.
    const added = isNear ? Math.max(0, slot.address + size - end) : size;
    if (total + added > mostTogether) {
      [spans, places, total] = [[{ address: slot.address, size }], new Map([[slot, 0]]), size];
    } else if (isNear) {
      places.set(slot, total - last.size + slot.address - last.address);
      spans[spans.length - 1] = { address: last.address, size: last.size + added };
      total += added;
    } else {
      places.set(slot, total);
      spans.push({ address: slot.address, size });
      total += size;
    }
    groups.set(slot, { spans, places });
  }
  return groups;
}
