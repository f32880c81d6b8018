// Sorting by buckets: numbers that are spread evenly fall into as many buckets as there are, one or a few into each, and are
// in order when each bucket is.
import { isBefore, type Entries } from "./network.js";
import type { KernelText, Reference } from "./surroundings.js";
import { lanesOfWarp } from "./types.js";

/** Buckets with more than this are too large to be sorted one element after the other. */
const largest = 16;

/** Words of working memory for so many buckets: how many each of them has, and totals of warps. */
export const bucketWords = (buckets: number, threads: number): number => buckets + threads / lanesOfWarp + 1;

export interface Buckets {
  /** How many there are, a power of two. */
  readonly count: number;
  /** A word of working memory. */
  readonly word: (index: string) => Reference;
}

/** Elements that are sorted: how many, and the key and position of each. */
export interface Elements {
  readonly count: string;
  readonly at: (index: string) => { readonly key: string; readonly position: string };
  readonly bucketOf: (key: string) => string;
}

/** Counts nothing yet in any bucket. The block has to meet before one counts. */
export function clearBuckets(text: KernelText, { count, word }: Buckets): void {
  const { out, thread, threads } = text;
  out.loop(thread, String(bucketWords(count, threads)), String(threads), (index) =>
    text.store(word(index), "uint32", "0"),
  );
}

/** Counts one more in a bucket, where a condition holds if there is one. */
export function countIn(
  { out }: KernelText,
  { word }: Buckets,
  bucket: string,
  condition: string | null = null,
): void {
  const { space, text } = word(bucket);
  out.line(`${condition === null ? "" : `@${condition} `}red.${space}.add.u32 ${text}, 1;`);
}

/**
 * Puts elements that have been counted into their order, in entries. `otherwise` is done instead of sorting buckets of which
 * some are too large: then entries are in the order of buckets only.
 */
export function sortByBuckets(
  text: KernelText,
  buckets: Buckets,
  { count, at, bucketOf }: Elements,
  { keyPlace, positionPlace }: Entries,
  otherwise: () => void,
): void {
  const { out, thread, threads } = text;
  const { word } = buckets;
  text.meet();
  addUp(text, buckets);
  text.meet();
  const { space } = word("0");
  out.loop(thread, count, String(threads), (index) => {
    const { key, position } = at(index);
    // Behind all before it each bucket begins, and in the end is where the next one does.
    const slot = out.effect(`atom.${space}.add.u32`, "b32", word(bucketOf(key)).text, "1");
    text.store(keyPlace(slot), "uint32", key);
    text.store(positionPlace(slot), "uint32", position);
  });
  text.meet();
  const most = text.load(word(String(bucketWords(buckets.count, threads) - 1)), "uint32");
  const areFew = out.effect("setp.le.u32", "pred", most, String(largest));
  const end = out.newLabel();
  out.when(areFew, () => {
    out.scope(() => sortEach(text, buckets, { keyPlace, positionPlace }));
    text.meet();
    out.line(`bra ${end};`);
  });
  out.scope(otherwise);
  out.place(end);
}

/** From how many each bucket has to where it begins; the last word of working memory gets the most that one has. */
export function addUp(text: KernelText, { count, word }: Buckets): void {
  const { out, thread, threads } = text;
  const warps = threads / lanesOfWarp;
  const each = Math.ceil(count / threads);
  const first = out.effect("mul.lo.s32", "b32", thread, String(each));
  const own = Array.from({ length: each }, (_, at) => out.effect("add.s32", "b32", first, String(at)));
  const conditions = own.map((index) => out.effect("setp.lt.s32", "pred", index, String(count)));
  const counts = own.map((index, at) => text.load(word(index), "uint32", conditions[at]));
  const add = (x: string, y: string) => out.effect("add.u32", "b32", x, y);
  const total = counts.reduce(add);
  const most = counts.reduce((x, y) => out.effect("max.u32", "b32", x, y));
  const lane = out.effect("and.b32", "b32", thread, String(lanesOfWarp - 1));
  const warp = out.effect("shr.u32", "b32", thread, String(Math.log2(lanesOfWarp)));
  const sum = text.variable("uint32", total);
  for (let distance = 1; distance < lanesOfWarp; distance *= 2) {
    const before = out.effect("shfl.sync.up.b32", "b32", sum, String(distance), "0", "-1");
    const isBehind = out.effect("setp.ge.u32", "pred", lane, String(distance));
    out.line(`@${isBehind} add.u32 ${sum}, ${sum}, ${before};`);
  }
  const isLast = out.effect("setp.eq.u32", "pred", lane, String(lanesOfWarp - 1));
  text.store(word(out.effect("add.u32", "b32", warp, String(count))), "uint32", sum, isLast);
  const { space, text: mostPlace } = word(String(count + warps));
  out.line(`red.${space}.max.u32 ${mostPlace}, ${most};`);
  text.meet();
  let before = out.effect("sub.u32", "b32", sum, total);
  for (let other = 0; other < warps; other++) {
    const isBefore = out.effect("setp.gt.u32", "pred", warp, String(other));
    before = add(before, text.load(word(String(count + other)), "uint32", isBefore));
  }
  own.forEach((index, at) => {
    text.store(word(index), "uint32", before, conditions[at]);
    before = add(before, counts[at]);
  });
}

/** Sorts what is in each bucket: every element goes in front of those before it that are larger. */
function sortEach(text: KernelText, { count, word }: Buckets, { keyPlace, positionPlace }: Entries): void {
  const { out, thread, threads } = text;
  const entry = (index: string) => [
    text.load(keyPlace(index), "uint32"),
    text.load(positionPlace(index), "uint32"),
  ];
  const put = (index: string, [key, position]: readonly string[]) => {
    text.store(keyPlace(index), "uint32", key);
    text.store(positionPlace(index), "uint32", position);
  };
  out.loop(thread, String(count), String(threads), (bucket) => {
    const hasBefore = out.effect("setp.gt.s32", "pred", bucket, "0");
    const start = text.load(word(out.plus(bucket, -1)), "uint32", hasBefore);
    const end = text.load(word(bucket), "uint32");
    out.loop(out.effect("add.u32", "b32", start, "1"), end, "1", (index) => {
      const inserted = entry(index);
      const place = text.variable("uint32", index);
      const [again, found] = [out.newLabel(), out.newLabel()];
      out.placeLoop(again);
      out.scope(() => {
        const before = out.effect("sub.u32", "b32", place, "1");
        const other = entry(before);
        const isDone = out.effect("not.pred", "pred", isBefore(text, inserted, other));
        out.line(`@${isDone} bra ${found};`);
        put(place, other);
        out.line(`mov.u32 ${place}, ${before};`);
      });
      out.line(`{ .reg .pred more; setp.gt.u32 more, ${place}, ${start}; @more bra ${again}; }`);
      out.place(found);
      put(place, inserted);
    });
  });
}
