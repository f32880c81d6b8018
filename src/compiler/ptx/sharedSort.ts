// Sorting by all blocks together. Each block takes the keys of its share of all numbers that keys can be, sorts those, and
// puts them behind as many as the blocks before it have. That is fast where keys are spread evenly, as random ones are;
// where too many fall to one block, the first block sorts all of them alone.
import type { SortKernel } from "../kernel.js";
import type { Division } from "../plan/arena.js";
import { element, keyAt } from "./sort.js";
import type { KernelText, Reference } from "./surroundings.js";

/** How many keys a block has room for: twice its share. */
const roomFor = (length: number, parts: number): number =>
  2 ** Math.ceil(Math.log2(Math.max(512, (2 * length) / parts)));

/** Words before the keys: how many there are, and how many other blocks have before them. */
const head = 4;

/** Words that a block works in. */
export const sharedSortScratch = ({ length }: SortKernel, parts: number): number =>
  head + 2 * roomFor(length, parts);

const padded = (length: number): number => 2 ** Math.ceil(Math.log2(length));

/** Bytes of common memory, in which one block sorts alone. */
export const sharedSortBytes = ({ length }: SortKernel): number => 8 * padded(length);

/** Keys with their positions, each by its index. */
interface Entries {
  readonly keyPlace: (index: string) => Reference;
  readonly positionPlace: (index: string) => Reference;
}

/** The keys that fall to this block. It tells where these are more than there is room for. */
export function sortShare(text: KernelText, kernel: SortKernel, { parts }: Division): void {
  const { out, thread, threads } = text;
  const { length, keys } = kernel;
  const scratch = text.scratch(kernel);
  const room = roomFor(length, parts);
  const word = (offset: number, index = "0"): Reference =>
    text.reference(scratch, offset, [{ operand: index, factor: 1 }]);
  const keyPlace = (index: string) => word(head, index);
  const positionPlace = (index: string) => word(head + room, index);
  const block = out.effect("mov.u32", "b32", "%ctaid.x");
  const isFirst = out.effect("setp.eq.u32", "pred", thread, "0");
  out.when(isFirst, () => {
    text.store(word(0), "uint32", "0");
    text.store(word(1), "uint32", "0");
  });
  text.meet();
  const before = text.variable("uint32", "0");
  const { space } = word(0);
  const take = (index: string, key: string) => {
    const owner = out.effect("mul.hi.u32", "b32", key, String(parts));
    const isBefore = out.effect("setp.lt.u32", "pred", owner, block);
    out.line(`@${isBefore} add.u32 ${before}, ${before}, 1;`);
    out.when(out.effect("setp.eq.u32", "pred", owner, block), () => {
      const slot = out.effect(`atom.${space}.add.u32`, "b32", word(0).text, "1");
      out.when(out.effect("setp.lt.u32", "pred", slot, String(room)), () => {
        text.store(keyPlace(slot), "uint32", key);
        text.store(positionPlace(slot), "uint32", index);
      });
    });
  };
  const together = 8;
  const whole = length - (length % (together * threads));
  out.loop(thread, String(whole), String(together * threads), (index) => {
    const indices = Array.from({ length: together }, (_, at) =>
      at === 0 ? index : out.effect("add.s32", "b32", index, String(at * threads)),
    );
    const found = indices.map((at) => keyAt(text, kernel, keys[0], "0", at));
    indices.forEach((at, which) => take(at, found[which]));
  });
  out.loop(out.effect("add.s32", "b32", thread, String(whole)), String(length), String(threads), (index) =>
    take(index, keyAt(text, kernel, keys[0], "0", index)),
  );
  out.line(`red.${space}.add.u32 ${word(1).text}, ${before};`);
  text.meet();
  const count = text.load(word(0), "uint32");
  const start = text.load(word(1), "uint32");
  const held = out.effect("min.u32", "b32", count, String(room));
  const size = powerFor(text, held);
  out.loop(out.effect("add.s32", "b32", held, thread), size, String(threads), (index) => {
    text.store(keyPlace(index), "uint32", "-1");
    text.store(positionPlace(index), "uint32", "-1");
  });
  text.meet();
  network(text, size, { keyPlace, positionPlace });
  out.loop(thread, held, String(threads), (index) =>
    move(text, kernel, text.load(positionPlace(index), "uint32"), out.effect("add.s32", "b32", start, index)),
  );
  out.when(isFirst, () => {
    const isTooMuch = out.effect("setp.gt.u32", "pred", count, String(room));
    out.line(`@${isTooMuch} red.global.add.u32 [${text.grid.tooMany}], 1;`);
  });
}

/** Puts the values at one position to another. */
function move(text: KernelText, kernel: SortKernel, from: string, to: string): void {
  for (const value of kernel.values)
    text.store(
      element(text, kernel, value.to, "0", to),
      value.to.buffer.dtype,
      text.load(element(text, kernel, value.from, "0", from), value.from.buffer.dtype),
    );
}

/** The lowest power of two that is no less than a number. */
function powerFor({ out }: KernelText, value: string): string {
  const less = out.effect("sub.s32", "b32", out.effect("max.s32", "b32", value, "1"), "1");
  const zeros = out.effect("clz.b32", "b32", less);
  const bits = out.effect("sub.s32", "b32", "32", zeros);
  return out.effect("shl.b32", "b32", "1", bits);
}

/** All keys by the first block. */
export function sortAlone(text: KernelText, kernel: SortKernel, { exchange }: Division): void {
  const { out, thread, threads } = text;
  const { length, keys } = kernel;
  const size = padded(length);
  const base = out.effect("add.u64", "b64", text.memory, String(exchange));
  const word = (offset: number, index: string): Reference => ({
    space: "global",
    text: `[${out.pure("mad.wide.s32", "b64", index, "4", base)}+${4 * offset}]`,
  });
  const keyPlace = (index: string) => word(0, index);
  const positionPlace = (index: string) => word(size, index);
  const block = out.effect("mov.u32", "b32", "%ctaid.x");
  out.when(out.effect("setp.eq.u32", "pred", block, "0"), () => {
    out.loop(thread, String(size), String(threads), (index) => {
      const key = text.variable("uint32", "-1");
      out.when(out.effect("setp.lt.s32", "pred", index, String(length)), () =>
        text.assign("uint32", key, keyAt(text, kernel, keys[0], "0", index)),
      );
      text.store(keyPlace(index), "uint32", key);
      text.store(positionPlace(index), "uint32", index);
    });
    text.meet();
    network(text, String(size), { keyPlace, positionPlace });
    out.loop(thread, String(length), String(threads), (index) =>
      move(text, kernel, text.load(positionPlace(index), "uint32"), index),
    );
  });
}

/** Sorts a power of two of entries by keys, then positions: Batcher's bitonic network. */
function network(text: KernelText, size: string, { keyPlace, positionPlace }: Entries): void {
  const { out, thread, threads } = text;
  const half = /^\d+$/.test(size) ? String(Number(size) / 2) : out.effect("shr.u32", "b32", size, "1");
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
      const isLess = out.effect("setp.lt.u32", "pred", a.key, b.key);
      const isEqual = out.effect("setp.eq.u32", "pred", a.key, b.key);
      const isEarlier = out.effect("setp.lt.u32", "pred", a.position, b.position);
      const isTied = out.effect("and.pred", "pred", isEqual, isEarlier);
      const isInOrder = out.effect("or.pred", "pred", isLess, isTied);
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
