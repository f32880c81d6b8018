// The second half of sorting together: each block takes what it is dealt, sorts that, and puts it behind as many as the blocks
// before it have.
import type { SortKernel } from "../../kernel.js";
import type { Division } from "../../plan/arena.js";
import { addUp, clearBuckets, countIn, sortByBuckets } from "../buckets.js";
import { moveValues } from "../sort.js";
import { sideOf, type KernelText } from "../surroundings.js";
import type { Moved } from "./again.js";
import { inBatches } from "./batches.js";
import { dealingOf, entryBytes, roomOf, type Room } from "./room.js";

/** Tells where what it is dealt is more than there is room for, or not spread evenly. */
export function take(
  text: KernelText,
  kernel: SortKernel,
  { parts }: Division,
  values: readonly Moved[],
): void {
  const { out, thread } = text;
  const room = roomOf(text, kernel, parts);
  const { buckets, sorted } = room;
  // Of a key times the number of blocks the upper word is whose it is, and the lower where among those it is.
  const shift = String(32 - Math.log2(buckets.count));
  const bucketOf = (key: string) =>
    out.effect("shr.u32", "b32", out.effect("mul.lo.u32", "b32", key, String(parts)), shift);
  const isFirst = out.effect("setp.eq.u32", "pred", thread, "0");
  for (const total of [room.count, room.before]) text.store(total, "uint32", "0", isFirst);
  clearBuckets(text, room.blocks);
  clearBuckets(text, buckets);
  text.meet();
  countDealt(text, kernel, parts, room);
  text.meet();
  addUp(text, room.blocks);
  text.meet();
  const count = text.load(room.count, "uint32");
  const start = text.load(room.before, "uint32");
  const held = out.effect("min.u32", "b32", count, String(room.size));
  inBatches(text, room.size, held, (indices, areThere) => {
    const found = indices.map((index, at) => dealt(text, kernel, parts, room, index, areThere[at]));
    found.forEach(({ key, position }, at) => {
      text.store(room.keys(indices[at]), "uint32", key, areThere[at]);
      text.store(room.numbers(indices[at]), "uint32", position, areThere[at]);
      countIn(text, buckets, bucketOf(key), areThere[at]);
    });
  });
  const isTooMuch = text.variable("bool", "0");
  out.line(`setp.gt.u32 ${isTooMuch}, ${count}, ${room.size};`);
  const at = (index: string) => ({
    key: text.load(room.keys(index), "uint32"),
    position: text.load(room.numbers(index), "uint32"),
  });
  sortByBuckets(text, buckets, { count: held, at, bucketOf }, sorted, () =>
    text.assign("bool", isTooMuch, "1"),
  );
  inBatches(text, room.size, held, (indices, areThere) =>
    moveValues(
      text,
      kernel,
      "0",
      indices.map((index, which) => ({
        from: text.load(sorted.positionPlace(index), "uint32", areThere[which]),
        to: out.effect("add.s32", "b32", start, index),
        condition: areThere[which],
      })),
      values,
    ),
  );
  const tells = out.effect("and.pred", "pred", isFirst, isTooMuch);
  out.line(`@${tells} red.global.add.u32 [${text.grid.tooMany}], 1;`);
}

/** How much each block deals to this one, and how much all before this one are dealt. */
function countDealt(text: KernelText, kernel: SortKernel, parts: number, room: Room): void {
  const { out, thread, threads } = text;
  const { stride } = dealingOf(kernel, parts);
  const own = out.effect("mad.wide.s32", "b64", out.effect("mov.u32", "b32", "%ctaid.x"), "4", sideOf(text));
  out.loop(thread, String(parts), String(threads), (other) => {
    const table = out.effect("mad.wide.s32", "b64", other, String(stride), own);
    const [first, end] = [0, 4].map((further) =>
      out.effect("ld.global.cg.u32", "b32", `[${table}+${further}]`),
    );
    const count = out.effect("sub.u32", "b32", end, first);
    text.store(room.blocks.word(other), "uint32", count);
    text.store(room.sources(other), "uint32", first);
    for (const [total, more] of [
      [room.before, first],
      [room.count, count],
    ] as const)
      out.line(`red.${total.space}.add.u32 ${total.text}, ${more};`);
  });
}

/** One of the entries that this block is dealt, by its number among them. */
function dealt(
  text: KernelText,
  kernel: SortKernel,
  parts: number,
  { sources, firstBlock }: Room,
  index: string,
  isThere: string,
): { readonly key: string; readonly position: string } {
  const { out } = text;
  const { stride, entries } = dealingOf(kernel, parts);
  // The last block that begins to deal at or before it.
  const [kind, width] = firstBlock.space === "shared" ? (["b32", "u32"] as const) : (["b64", "u64"] as const);
  const found = { ...firstBlock, register: out.effect(`mov.${width}`, kind, firstBlock.register) };
  const { register } = found;
  for (let left = parts; left > 1; left = Math.ceil(left / 2)) {
    const half = 4 * Math.floor(left / 2);
    const isBefore = out.effect("setp.le.u32", "pred", text.load(text.at(found, half), "uint32"), index);
    out.line(`@${isBefore} add.${width} ${register}, ${register}, ${half};`);
  }
  const start = text.load(text.at(found), "uint32");
  const distance = out.effect(`sub.${width}`, kind, register, firstBlock.register);
  const bytes = kind === "b32" ? distance : out.effect("cvt.u32.u64", "b32", distance);
  const block = out.effect("shr.u32", "b32", bytes, "2");
  const source = text.load(sources(block), "uint32");
  const number = out.effect("sub.u32", "b32", out.effect("add.u32", "b32", source, index), start);
  const base = out.effect("mad.wide.s32", "b64", block, String(stride), sideOf(text));
  const entry = out.effect("mad.wide.s32", "b64", number, String(entryBytes), base);
  const [key, position] = [out.effect("mov.u32", "b32", "0"), out.effect("mov.u32", "b32", "0")];
  out.line(`@${isThere} ld.global.cg.v2.u32 {${key}, ${position}}, [${entry}+${entries}];`);
  return { key, position };
}
