// Sorting by all blocks together. Each block takes the keys of its share of all numbers that keys can be, sorts those, and
// puts them behind as many as the blocks before it have. That is fast where keys are spread evenly, as random ones are;
// where too many fall to one block, the first block sorts all of them alone.
import type { SortKernel } from "../kernel.js";
import type { Division } from "../plan/arena.js";
import { sortByNetwork, type Entry } from "./network.js";
import { isBefore, keyAt, moveValues } from "./sort.js";
import type { KernelText, Reference } from "./surroundings.js";
import type { Work } from "./work.js";

/** How many keys a block has room for: twice its share. */
const roomFor = (length: number, parts: number): number =>
  2 ** Math.ceil(Math.log2(Math.max(512, (2 * length) / parts)));

/** Words before the keys: how many there are, and how many other blocks have before them. */
const head = 4;

/** Words that a block works in. */
export const sharedSortScratch = ({ length }: SortKernel, parts: number): number =>
  head + 2 * roomFor(length, parts);

/** Keys that a thread has on their way at a time: they come from far. */
const mostLoads = 32;

const padded = (length: number): number => 2 ** Math.ceil(Math.log2(length));

/** Bytes of common memory, in which one block sorts alone. */
export const sharedSortBytes = ({ length }: SortKernel): number => 8 * padded(length);

/** The keys that fall to each block. */
export const sortShareWork = (kernel: SortKernel, division: Division, threads: number): Work => ({
  threads,
  write: (text) => sortShare(text, kernel, division),
  describe: () => `sort of ${kernel.length} by all blocks, each the keys of its share of all numbers`,
});

/** All keys by the first block. */
export const sortAloneWork = (kernel: SortKernel, division: Division, threads: number): Work => ({
  threads,
  write: (text) => sortAlone(text, kernel, division),
  describe: () => "a network of all keys",
});

/** The keys that fall to this block. It tells where these are more than there is room for. */
function sortShare(text: KernelText, kernel: SortKernel, { parts }: Division): void {
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
  const together = Math.max(1, Math.min(mostLoads, 2 ** Math.floor(Math.log2(length / threads))));
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
  sortByNetwork(text, size, { keyPlace, positionPlace }, byKey(text));
  out.loop(thread, held, String(threads), (index) =>
    moveValues(
      text,
      kernel,
      "0",
      text.load(positionPlace(index), "uint32"),
      out.effect("add.s32", "b32", start, index),
    ),
  );
  out.when(isFirst, () => {
    const isTooMuch = out.effect("setp.gt.u32", "pred", count, String(room));
    out.line(`@${isTooMuch} red.global.add.u32 [${text.grid.tooMany}], 1;`);
  });
}

/** By keys, then by positions. */
const byKey =
  (text: KernelText) =>
  (a: Entry, b: Entry): string =>
    isBefore(text, [a.key, a.position], [b.key, b.position]);

/** The lowest power of two that is no less than a number. */
function powerFor({ out }: KernelText, value: string): string {
  const less = out.effect("sub.s32", "b32", out.effect("max.s32", "b32", value, "1"), "1");
  const zeros = out.effect("clz.b32", "b32", less);
  const bits = out.effect("sub.s32", "b32", "32", zeros);
  return out.effect("shl.b32", "b32", "1", bits);
}

function sortAlone(text: KernelText, kernel: SortKernel, { exchange }: Division): void {
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
    sortByNetwork(text, String(size), { keyPlace, positionPlace }, byKey(text));
    out.loop(thread, String(length), String(threads), (index) =>
      moveValues(text, kernel, "0", text.load(positionPlace(index), "uint32"), index),
    );
  });
}
