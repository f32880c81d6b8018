// How blocks exchange something: in which way, and where in common memory.
import { axes as deviceAxes, itemSize, sizeOf, type NamedAxis } from "../../../array/index.js";
import type { Buffer, ExchangeKernel, Place, Pull, Step } from "../../kernel.js";
import type { Division } from "../../plan/arena.js";
import { isGather } from "../../plan/common.js";
import { align } from "../../plan/placing.js";
import { insideOf, kernelsIn } from "../../walk.js";
import { sharedSortBytes } from "../sharedSort/index.js";
import { groupAlong, type Group } from "./group.js";

/** Words of totals, of all blocks together, that a block reads rather than to meet the others once more. */
const fewWords = 2 ** 14;

/** Bytes of a cache line, and what is a multiple of so many bytes away lies in the same set. */
const [lineBytes, farApart] = [128, 4096];

/** Elements of an operand. */
export const operandSize = ({ extents, perReceiver }: Pull, { size }: Group): number =>
  sizeOf(extents) * (perReceiver === 0 ? 1 : size);

const bytesOf = (size: number, { from }: Pull): number => align(size * itemSize(from.buffer.dtype));

/** Whether all get totals of whole arrays, of words of one kind: they can be added up whatever array they belong to. */
export const areTotals = ({ combine, pulls }: ExchangeKernel): boolean =>
  combine !== null &&
  itemSize(pulls[0].from.buffer.dtype) === 4 &&
  pulls.every(
    ({ from, perReceiver }) => perReceiver === 0 && from.buffer.dtype === pulls[0].from.buffer.dtype,
  );

/** Whether each block adds up a share of what all get. */
export const isShared = (kernel: ExchangeKernel, { size }: Group): boolean =>
  areTotals(kernel) && size * kernel.pulls.reduce((sum, { extents }) => sum + sizeOf(extents), 0) > fewWords;

/** Where things lie in common memory, in bytes from the beginning of one of its two sides. */
export interface Layout {
  /** Operands of the first block, and how far those of the next are from there. */
  readonly operands: readonly number[];
  readonly stride: number;
  /** Totals of the first group, which lie as the operands of one block do; those of the others are behind. */
  readonly totals: number;
  readonly bytes: number;
}

/** Where operands lie in common memory, from the beginning of one of its two sides: block after block, then totals. */
export function layoutOf(kernel: ExchangeKernel, group: Group): Layout {
  let end = 0;
  const operands = kernel.pulls.map((pull) => {
    const start = end;
    end += bytesOf(operandSize(pull, group), pull);
    return start;
  });
  // What a block reads of all others lies in different sets of caches.
  const stride = end % farApart === 0 ? end + lineBytes : end;
  return {
    operands,
    stride,
    totals: group.parts * stride,
    bytes: (group.parts + (isShared(kernel, group) ? group.count : 0)) * stride,
  };
}

/** Elements to where a place begins, and between its places in the turns of loops. */
export const startsOf = ({ offset, counters }: Place): number[] => [
  offset,
  ...counters.map(({ stride }) => stride),
];

/** The exchange of a step, if it is one. */
const exchangeOf = (step: Step | undefined): ExchangeKernel | null =>
  step?.kind === "kernel" && step.kernel.kind === "exchange" ? step.kernel : null;

/** Exchanges from a step on that follow each other, and of which none needs what another one gets: they are done together. */
export function exchangesFrom(steps: readonly Step[], first: number): ExchangeKernel[] {
  const found: ExchangeKernel[] = [];
  const got = new Set<Buffer>();
  for (let at = first; ; at++) {
    const next = exchangeOf(steps[at]);
    if (next === null || next.pulls.some(({ from, to }) => got.has(from.buffer) || got.has(to.buffer)))
      return found;
    found.push(next);
    for (const { to } of next.pulls) got.add(to.buffer);
  }
}

/** Where each of several exchanges has its place on one of the sides, and how many bytes all of them take. */
export function startsOnSide(
  kernels: readonly ExchangeKernel[],
  axes: readonly NamedAxis[],
): { readonly starts: readonly number[]; readonly bytes: number } {
  let bytes = 0;
  const starts = kernels.map((kernel) => {
    const start = bytes;
    bytes += align(layoutOf(kernel, groupAlong(kernel.axes, axes)).bytes);
    return start;
  });
  return { starts, bytes };
}

function sideBytes(steps: readonly Step[], axes: readonly NamedAxis[]): number {
  let most = 0;
  steps.forEach((step, at) => {
    most = Math.max(most, startsOnSide(exchangesFrom(steps, at), axes).bytes);
    if (step.kind !== "kernel") most = Math.max(most, sideBytes(insideOf(step), axes));
  });
  return most;
}

/** Bytes of common memory by which blocks hand each other something: two sides, in turns, or one block's work. */
export const exchangeBytes = (steps: readonly Step[], axes: readonly NamedAxis[]): number => {
  const sorts = kernelsIn(steps).filter((kernel) => kernel.kind === "sort");
  const parts = deviceAxes.countAlong(axes);
  return 2 * align(Math.max(sideBytes(steps, axes), ...sorts.map((sort) => sharedSortBytes(sort, parts))));
};

/** Whether blocks gather something in memory that they have in common. */
export const isInCommon = (kernel: ExchangeKernel, { common }: Division): boolean =>
  isGather(kernel) && kernel.pulls.every(({ to }) => common.has(to.buffer));

/** In words, what is exchanged and how. */
export function describeExchange(kernel: ExchangeKernel, division: Division): string {
  const { combine, pulls } = kernel;
  const group = groupAlong(kernel.axes, division.axes);
  const bytes = pulls.reduce(
    (sum, pull) => sum + operandSize(pull, group) * itemSize(pull.from.buffer.dtype),
    0,
  );
  const what = isInCommon(kernel, division)
    ? "gather in common memory"
    : combine === null
      ? isGather(kernel)
        ? "gather"
        : "all to all"
      : isShared(kernel, group)
        ? `all-reduce (${combine}), each block a share`
        : pulls.every(({ perReceiver }) => perReceiver === 0)
          ? `all-reduce (${combine}), each block all of it`
          : `reduce and scatter (${combine})`;
  const among = group.count === 1 ? "" : `, among ${group.size} blocks`;
  return `${what}${among}, ${bytes} bytes of each block`;
}
