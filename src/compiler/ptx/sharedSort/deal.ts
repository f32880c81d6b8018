// The first half of sorting together: each block deals its part of the keys out to all of them.
import type { SortKernel } from "../../kernel.js";
import type { Division } from "../../plan/arena.js";
import { addUp, clearBuckets } from "../buckets.js";
import { keyAt } from "../sort.js";
import { sideOf, type KernelText } from "../surroundings.js";
import { inBatches } from "./batches.js";
import { dealingOf, entryBytes, roomOf } from "./room.js";

/** Lays out the keys of this block's part, by the blocks that they belong to, with a table of where those of each begin. */
export function deal(text: KernelText, kernel: SortKernel, { parts }: Division): void {
  const { out, thread, threads } = text;
  const { length, keys } = kernel;
  const { share, entries, stride } = dealingOf(kernel, parts);
  const { blocks, keys: keyList, numbers } = roomOf(text, kernel, parts);
  const ownerOf = (key: string) => out.effect("mul.hi.u32", "b32", key, String(parts));
  const { space } = blocks.word("0");
  const block = out.effect("mov.u32", "b32", "%ctaid.x");
  const first = out.effect("mul.lo.s32", "b32", block, String(share));
  const left = out.effect("sub.s32", "b32", String(length), first);
  const own = out.effect("max.s32", "b32", out.effect("min.s32", "b32", left, String(share)), "0");
  const positionOf = (index: string) => out.effect("add.s32", "b32", index, first);
  clearBuckets(text, blocks);
  text.meet();
  inBatches(text, share, own, (indices, areThere) => {
    const found = indices.map((index) => {
      const position = out.effect("min.s32", "b32", positionOf(index), String(length - 1));
      return keyAt(text, kernel, keys[0], "0", position);
    });
    indices.forEach((index, at) => {
      const key = found[at];
      const number = out.effect("mov.u32", "b32", "0");
      out.line(`@${areThere[at]} atom.${space}.add.u32 ${number}, ${blocks.word(ownerOf(key)).text}, 1;`);
      text.store(keyList(index), "uint32", key, areThere[at]);
      text.store(numbers(index), "uint32", number, areThere[at]);
    });
  });
  text.meet();
  addUp(text, blocks);
  text.meet();
  const base = out.effect("mad.wide.s32", "b64", block, String(stride), sideOf(text));
  const word = (index: string) =>
    ({ space: "global", text: `[${out.effect("mad.wide.s32", "b64", index, "4", base)}]` }) as const;
  out.loop(thread, String(parts), String(threads), (index) =>
    text.store(word(index), "uint32", text.load(blocks.word(index), "uint32")),
  );
  const isFirst = out.effect("setp.eq.u32", "pred", thread, "0");
  text.store(word(String(parts)), "uint32", own, isFirst);
  inBatches(text, share, own, (indices, areThere) => {
    const dealt = indices.map((index, at) => {
      const key = text.load(keyList(index), "uint32", areThere[at]);
      const start = text.load(blocks.word(ownerOf(key)), "uint32");
      const number = text.load(numbers(index), "uint32", areThere[at]);
      const place = out.effect("add.u32", "b32", start, number);
      return { key, position: positionOf(index), place };
    });
    dealt.forEach(({ key, position, place }, at) => {
      const entry = out.effect("mad.wide.s32", "b64", place, String(entryBytes), base);
      out.line(`@${areThere[at]} st.global.v2.u32 [${entry}+${entries}], {${key}, ${position}};`);
    });
  });
}
