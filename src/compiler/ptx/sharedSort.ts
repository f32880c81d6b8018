// Sorting by all blocks together. Each block takes the keys of its share of all numbers that keys can be, sorts those, and
// puts them behind as many as the blocks before it have. That is fast where keys are spread evenly, as random ones are;
// where too many fall to one block, the first block sorts all of them alone.
import type { SortKernel } from "../kernel.js";
import type { Division } from "../plan/arena.js";
import { bucketWords, clearBuckets, countIn, sortByBuckets } from "./buckets.js";
import { isBefore, sortByNetwork, type Entry } from "./network.js";
import { keyAt, moveValues } from "./sort.js";
import type { KernelText, Reference } from "./surroundings.js";
import type { Work } from "./work.js";

/** How many keys a block has room for: its share, and as many more as hardly ever come where keys are random. */
function roomFor(length: number, parts: number): number {
  const share = length / parts;
  return Math.ceil((share + 8 * Math.sqrt(share)) / 64) * 64;
}

/** Buckets of a block: about one for each key. */
const bucketsFor = (length: number, parts: number): number =>
  2 ** Math.max(5, Math.round(Math.log2(length / parts)));

/** Words before the keys: how many there are, and how many other blocks have before them. */
const head = 4;

/** Words that a block works in: places in the lane, keys and positions, and buckets. */
export const sharedSortScratch = ({ length }: SortKernel, parts: number, threads: number): number =>
  head + 3 * roomFor(length, parts) + bucketWords(bucketsFor(length, parts), threads);

/** Keys that a thread has on their way at a time: they come from far. */
const mostLoads = 16;

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

/** The keys that fall to this block. It tells where these are more than there is room for, or not spread evenly. */
function sortShare(text: KernelText, kernel: SortKernel, { parts }: Division): void {
  const { out, thread, threads } = text;
  const { length, keys } = kernel;
  const scratch = text.scratch(kernel);
  const room = roomFor(length, parts);
  const word =
    (offset: number) =>
    (index: string): Reference =>
      text.reference(scratch, offset, [{ operand: index, factor: 1 }]);
  const listPlace = word(head);
  const entries = { keyPlace: word(head + room), positionPlace: word(head + 2 * room) };
  const buckets = { count: bucketsFor(length, parts), word: word(head + 3 * room) };
  const [countPlace, beforePlace] = [word(0)("0"), word(0)("1")];
  const { space } = countPlace;
  const block = out.effect("mov.u32", "b32", "%ctaid.x");
  const isFirst = out.effect("setp.eq.u32", "pred", thread, "0");
  text.store(countPlace, "uint32", "0", isFirst);
  text.store(beforePlace, "uint32", "0", isFirst);
  clearBuckets(text, buckets);
  text.meet();
  // Of a key times the number of blocks the upper word is whose it is, and the lower where among those it is.
  const shift = String(32 - Math.log2(buckets.count));
  const bucketOf = (key: string) =>
    out.effect("shr.u32", "b32", out.effect("mul.lo.u32", "b32", key, String(parts)), shift);
  const before = text.variable("uint32", "0");
  const take = (index: string, key: string) => {
    const owner = out.effect("mul.hi.u32", "b32", key, String(parts));
    const isBefore = out.effect("setp.lt.u32", "pred", owner, block);
    out.line(`@${isBefore} add.u32 ${before}, ${before}, 1;`);
    const isOwn = out.effect("setp.eq.u32", "pred", owner, block);
    const slot = out.effect("mov.u32", "b32", String(room));
    out.line(`@${isOwn} atom.${space}.add.u32 ${slot}, ${countPlace.text}, 1;`);
    const hasRoom = out.effect("setp.lt.u32", "pred", slot, String(room));
    text.store(listPlace(slot), "uint32", index, hasRoom);
    countIn(text, buckets, bucketOf(key), hasRoom);
  };
  const together = Math.max(1, Math.min(mostLoads, 2 ** Math.floor(Math.log2(length / threads))));
  const whole = length - (length % (together * threads));
  out.loop(thread, String(whole), String(together * threads), (index) => {
    const indices = Array.from({ length: together }, (_, at) => out.plus(index, at * threads));
    const found = indices.map((at) => keyAt(text, kernel, keys[0], "0", at));
    indices.forEach((at, which) => take(at, found[which]));
  });
  out.loop(out.effect("add.s32", "b32", thread, String(whole)), String(length), String(threads), (index) =>
    take(index, keyAt(text, kernel, keys[0], "0", index)),
  );
  out.line(`red.${space}.add.u32 ${beforePlace.text}, ${before};`);
  text.meet();
  const count = text.load(countPlace, "uint32");
  const start = text.load(beforePlace, "uint32");
  const held = out.effect("min.u32", "b32", count, String(room));
  const at = (index: string) => {
    const position = text.load(listPlace(index), "uint32");
    return { key: keyAt(text, kernel, keys[0], "0", position), position };
  };
  const isTooMuch = text.variable("bool", "0");
  out.line(`setp.gt.u32 ${isTooMuch}, ${count}, ${room};`);
  sortByBuckets(text, buckets, { count: held, at, bucketOf }, entries, () =>
    text.assign("bool", isTooMuch, "1"),
  );
  out.loop(thread, held, String(threads), (index) =>
    moveValues(
      text,
      kernel,
      "0",
      text.load(entries.positionPlace(index), "uint32"),
      out.effect("add.s32", "b32", start, index),
    ),
  );
  const tells = out.effect("and.pred", "pred", isFirst, isTooMuch);
  out.line(`@${tells} red.global.add.u32 [${text.grid.tooMany}], 1;`);
}

/** By keys, then by positions. */
const byKey =
  (text: KernelText) =>
  (a: Entry, b: Entry): string =>
    isBefore(text, [a.key, a.position], [b.key, b.position]);

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
