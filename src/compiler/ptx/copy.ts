// Copies as PTX.
import { itemSize } from "../../array/index.js";
import type { CopyKernel } from "../kernel.js";
import { moveAll } from "./moving.js";
import type { KernelText } from "./surroundings.js";

/** Copies an array; one that lies where it is copied to is read before it is overwritten, so many elements at a time. */
export function renderCopy(text: KernelText, { from, to, size }: CopyKernel, mayOverlap: boolean): void {
  const { out, thread, threads } = text;
  // Bits are all that matters.
  const dtype = itemSize(to.buffer.dtype) === 1 ? "uint8" : "uint32";
  const at = (place: typeof from, index: string, further = 0) =>
    text.reference(place.buffer, place.offset + further, [
      ...text.partsOf(place),
      { operand: index, factor: 1 },
    ]);
  if (!mayOverlap) {
    const bytes = dtype === "uint8" ? 1 : 4;
    const isAligned = ({ offset, counters }: typeof from) =>
      [offset, ...counters.map(({ stride }) => stride)].every((count) => count % 4 === 0);
    const isWide = bytes === 4 && size % 4 === 0 && isAligned(from) && isAligned(to);
    const move = (place: typeof from) => (index: string, further: number) => at(place, index, further);
    text.occupy(isWide ? size / 4 : size);
    moveAll(text, [{ size, bytes, isWide, from: move(from), to: move(to) }]);
    return;
  }
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
export function renderShare(text: KernelText, { from, to, size }: CopyKernel): void {
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
