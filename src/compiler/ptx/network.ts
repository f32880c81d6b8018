// Sorting by a network of comparisons, which are the same whatever the keys are.
import type { KernelText, Reference } from "./surroundings.js";
import { isNumber } from "./text.js";

/** Keys with their positions, each by its index. */
export interface Entries {
  readonly keyPlace: (index: string) => Reference;
  readonly positionPlace: (index: string) => Reference;
}

export interface Entry {
  readonly key: string;
  readonly position: string;
}

/** Whether the first of two comes before the second by their keys, or by positions where these are equal. */
export function isBefore({ out }: KernelText, mine: readonly string[], theirs: readonly string[]): string {
  let result: string | null = null;
  for (let at = mine.length - 1; at >= 0; at--) {
    const isLess = out.effect("setp.lt.u32", "pred", mine[at], theirs[at]);
    if (result === null) result = isLess;
    else {
      const isEqual = out.effect("setp.eq.u32", "pred", mine[at], theirs[at]);
      const later = out.effect("and.pred", "pred", isEqual, result);
      result = out.effect("or.pred", "pred", isLess, later);
    }
  }
  return result as string;
}

/** Sorts a power of two of entries: Batcher's bitonic network. */
export function sortByNetwork(
  text: KernelText,
  size: string,
  { keyPlace, positionPlace }: Entries,
  inOrder: (a: Entry, b: Entry) => string,
): void {
  const { out, thread, threads } = text;
  const half = isNumber(size) ? String(Number(size) / 2) : out.effect("shr.u32", "b32", size, "1");
  const compare = (sorted: string, distance: string) =>
    out.loop(thread, half, String(threads), (pair) => {
      const below = out.effect("sub.s32", "b32", distance, "1");
      const low = out.effect("and.b32", "b32", pair, below);
      const doubled = out.effect("add.s32", "b32", pair, pair);
      const first = out.effect("sub.s32", "b32", doubled, low);
      const second = out.effect("add.s32", "b32", first, distance);
      const [a, b] = [first, second].map((index) => ({
        key: text.load(keyPlace(index), "uint32"),
        position: text.load(positionPlace(index), "uint32"),
      }));
      const isInOrder = inOrder(a, b);
      const part = out.effect("and.b32", "b32", first, sorted);
      const isUp = out.effect("setp.eq.u32", "pred", part, "0");
      // Out of order where it goes up, or in order where it goes down.
      out.when(out.effect("xor.pred", "pred", isInOrder, isUp), () => {
        text.store(keyPlace(first), "uint32", b.key);
        text.store(positionPlace(first), "uint32", b.position);
        text.store(keyPlace(second), "uint32", a.key);
        text.store(positionPlace(second), "uint32", a.position);
      });
    });
  const sorted = out.effect("mov.u32", "b32", "2");
  const [outer, inner, end] = [out.newLabel(), out.newLabel(), out.newLabel()];
  const jump = (condition: string, x: string, y: string, label: string) =>
    out.line(`@${out.effect(`setp.${condition}.s32`, "pred", x, y)} bra ${label};`);
  out.placeLoop(outer);
  jump("gt", sorted, size, end);
  const distance = out.effect("shr.u32", "b32", sorted, "1");
  out.placeLoop(inner);
  out.scope(() => compare(sorted, distance));
  text.meet();
  out.line(`shr.u32 ${distance}, ${distance}, 1;`);
  jump("gt", distance, "0", inner);
  out.line(`shl.b32 ${sorted}, ${sorted}, 1;`);
  out.line(`bra ${outer};`);
  out.place(end);
}
