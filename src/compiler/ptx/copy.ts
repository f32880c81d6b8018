// Copies as PTX.
import { itemSize, sizeOf } from "../../array/index.js";
import type { CopyKernel, Kernel, Place } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import { bytesOf } from "../plan/clusters.js";
import { isMoving, transfersOf, type MovingKernel, type Transfer } from "../schedule/transfers.js";
import { positionsOf } from "./indices.js";
import { moveAll, type Move } from "./moving.js";
import type { KernelText } from "./surroundings.js";
import { wholeWarps } from "./types.js";
import { countOf, perThread } from "./words.js";
import type { Work } from "./work.js";

/** Whether a kernel moves something to where it lies, at least in part. */
function mayOverlap(kernel: MovingKernel, { addresses, fast }: MemoryPlan): boolean {
  const placed = ({ buffer }: Place) => {
    const start = addresses.get(buffer) ?? 0;
    return { start, end: start + bytesOf(buffer), isFast: fast.has(buffer) };
  };
  const transfers = transfersOf(kernel) ?? [];
  const sources = transfers.map(({ from }) => placed(from));
  return transfers.some(({ to }) => {
    const b = placed(to);
    return sources.some((a) => a.isFast === b.isFast && a.start < b.end && b.start < a.end);
  });
}

/** Whether a kernel moves elements, and may do so in any order. */
export const movesFreely = (kernel: Kernel, plan: MemoryPlan): kernel is MovingKernel =>
  isMoving(kernel) && !mayOverlap(kernel, plan);

/** Moves elements, of all kernels at the same time. */
export function copyWork(kernels: readonly MovingKernel[], threads: number): Work {
  const all = kernels.flatMap((kernel) => (transfersOf(kernel) ?? []).map(moveFor));
  const size = all.reduce((sum, move) => sum + move.size, 0);
  const units = Math.max(0, ...all.map((move) => (move.isWide ? move.size / 4 : move.size)));
  const of = all.length === 1 ? "" : ` of ${all.length} arrays`;
  return {
    threads: wholeWarps(units, threads),
    write: (text) =>
      moveAll(
        text,
        all.map(({ elements, ...move }) => ({
          ...move,
          from: elements(text, "from"),
          to: elements(text, "to"),
        })),
      ),
    describe: () => `copy, ${countOf(size, "element")}${of}, ${perThread(size, threads)}`,
  };
}

/** A move, but for the program that it is part of. */
function moveFor(transfer: Transfer): Omit<Move, "from" | "to"> & {
  readonly elements: (text: KernelText, side: "from" | "to") => Move["from"];
} {
  const { extents, from, to, fromStrides, toStrides } = transfer;
  const size = sizeOf(extents);
  const bytes = itemSize(to.buffer.dtype) === 1 ? 1 : 4;
  const isWideAt = ({ offset, counters }: Place, strides: readonly number[]) =>
    strides.at(-1) === 1 &&
    [offset, ...strides.slice(0, -1), ...counters.map(({ stride }) => stride)].every(
      (count) => count % 4 === 0,
    );
  const isEven = (extents.at(-1) ?? 1) % 4 === 0;
  const isWide = bytes === 4 && isEven && isWideAt(from, fromStrides) && isWideAt(to, toStrides);
  return {
    size,
    bytes,
    isWide,
    elements: (text, side) => {
      const [place, strides] = side === "from" ? [from, fromStrides] : [to, toStrides];
      return (index, further) => {
        const positions = positionsOf(text.out, text.out.plus(index, further), extents);
        return text.reference(place.buffer, place.offset, [
          ...text.partsOf(place),
          ...positions.map((operand, axis) => ({ operand, factor: strides[axis] })),
        ]);
      };
    },
  };
}

/** Copies an array that may lie where it is copied to: it is read before it is overwritten, so many elements at a time. */
export const overlappingWork = (kernel: CopyKernel, threads: number): Work => ({
  threads,
  write: (text) => moveAlong(text, kernel),
  describe: () => `copy, ${countOf(kernel.size, "element")}, ${perThread(kernel.size, threads)}`,
});

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
