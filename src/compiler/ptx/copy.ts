// Copies as PTX.
import { itemSize } from "../../array/index.js";
import type { CopyKernel, Place } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import { bytesOf } from "../plan/clusters.js";
import { moveAll, type Move } from "./moving.js";
import type { KernelText } from "./surroundings.js";
import { wholeWarps } from "./types.js";
import { countOf, perThread } from "./words.js";
import type { Work } from "./work.js";

/** Whether an array lies where it is copied to, at least in part. */
export function mayOverlap({ from, to }: CopyKernel, { addresses, fast }: MemoryPlan): boolean {
  if (fast.has(from.buffer) !== fast.has(to.buffer)) return false;
  const [a, b] = [from, to].map(({ buffer }) => {
    const start = addresses.get(buffer) ?? 0;
    return { start, end: start + bytesOf(buffer) };
  });
  return a.start < b.end && b.start < a.end;
}

/** Copies arrays; a single one may lie where it is copied to, and is read before it is overwritten, so many elements at a time. */
export function copyWork(kernels: readonly CopyKernel[], threads: number, overlaps: boolean): Work {
  const [kernel] = kernels;
  const copies = kernels.map((one) => ({ ...one, ...widthsOf(one) }));
  const size = kernels.reduce((sum, one) => sum + one.size, 0);
  const units = Math.max(...copies.map(({ size, isWide }) => (isWide ? size / 4 : size)));
  const of = kernels.length === 1 ? "" : ` of ${kernels.length} arrays`;
  return {
    threads: overlaps ? threads : wholeWarps(units, threads),
    write: (text) => {
      if (overlaps) moveAlong(text, kernel);
      else
        moveAll(
          text,
          copies.map((copy) => moveOf(text, copy)),
        );
    },
    describe: () => `copy, ${countOf(size, "element")}${of}, ${perThread(size, threads)}`,
  };
}

/** The bytes of a word, and whether four of them can be moved at a time. */
function widthsOf({ from, to, size }: CopyKernel): Pick<Move, "bytes" | "isWide"> {
  const bytes = itemSize(to.buffer.dtype) === 1 ? 1 : 4;
  const isAligned = ({ offset, counters }: Place) =>
    [offset, ...counters.map(({ stride }) => stride)].every((count) => count % 4 === 0);
  return { bytes, isWide: bytes === 4 && size % 4 === 0 && isAligned(from) && isAligned(to) };
}

function moveOf(
  text: KernelText,
  { from, to, size, bytes, isWide }: CopyKernel & Pick<Move, "bytes" | "isWide">,
): Move {
  const elementOf = (place: Place) => (index: string, further: number) =>
    text.reference(place.buffer, place.offset + further, [
      ...text.partsOf(place),
      { operand: index, factor: 1 },
    ]);
  return { size, bytes, isWide, from: elementOf(from), to: elementOf(to) };
}

/** Moves an array to a place that it may share elements with. */
function moveAlong(text: KernelText, { from, to, size }: CopyKernel): void {
  const { out, thread, threads } = text;
  // Bits are all that matters.
  const dtype = itemSize(to.buffer.dtype) === 1 ? "uint8" : "uint32";
  const at = (place: Place, index: string) =>
    text.reference(place.buffer, place.offset, [...text.partsOf(place), { operand: index, factor: 1 }]);
  // Downwards from the end where it moves up, so that nothing is overwritten before it is read.
  const difference = text.sum([
    ...text.partsOf(to),
    ...text.partsOf(from).map(({ operand, factor }) => ({ operand, factor: -factor })),
  ]);
  const constant = to.offset - from.offset + difference.constant;
  const distance =
    difference.register === null
      ? String(constant)
      : out.pure("add.s32", "b32", difference.register, String(constant));
  const isUp = out.effect("setp.gt.s32", "pred", distance, "0");
  const turns = Math.ceil(size / threads) * threads;
  out.loop("0", String(turns), String(threads), (first) => {
    const forwards = out.effect("add.s32", "b32", first, thread);
    const backwards = out.effect("sub.s32", "b32", String(size - 1), forwards);
    const index = out.effect("selp.b32", "b32", backwards, forwards, isUp);
    const isThere = out.effect("setp.lt.s32", "pred", forwards, String(size));
    const value = text.variable(dtype, "0");
    out.when(isThere, () => text.assign(dtype, value, text.load(at(from, index), dtype)));
    text.meet();
    out.when(isThere, () => text.store(at(to, index), dtype, value));
    text.meet();
  });
}

/** Copies a block's share of an array. */
export const shareWork = (kernel: CopyKernel, parts: number, threads: number): Work => ({
  threads,
  write: (text) => renderShare(text, kernel),
  describe: () =>
    `result, each block a share: ${countOf(kernel.size, "element")}, ${perThread(kernel.size, parts * threads)}`,
});

function renderShare(text: KernelText, { from, to, size }: CopyKernel): void {
  const { out, thread, threads, plan } = text;
  const { parts } = plan.division;
  const dtype = itemSize(to.buffer.dtype) === 1 ? "uint8" : "uint32";
  const block = out.effect("mov.u32", "b32", "%ctaid.x");
  const first = out.effect("mad.lo.s32", "b32", block, String(threads), thread);
  out.loop(first, String(size), String(parts * threads), (index) => {
    const at = (place: typeof from) =>
      text.reference(place.buffer, place.offset, [...text.partsOf(place), { operand: index, factor: 1 }]);
    text.store(at(to), dtype, text.load(at(from), dtype));
  });
}
