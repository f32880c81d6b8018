// Where blocks that sort together have what they deal each other, and what each of them works in.
import type { SortKernel } from "../../kernel.js";
import { align } from "../../plan/placing.js";
import { bucketWords, type Buckets } from "../buckets.js";
import { startsIn } from "../indices.js";
import type { Entries } from "../network.js";
import type { KernelText, Pointer, Reference } from "../surroundings.js";

/** How blocks deal out keys, in bytes from the beginning of a side of their exchanges. */
export interface Dealing {
  /** Keys that a block deals out. */
  readonly share: number;
  /** Where its entries begin, a key and a position each: behind a table of where those for each block begin. */
  readonly entries: number;
  /** From what one block deals out to what the next does. */
  readonly stride: number;
}

export const entryBytes = 8;

export function dealingOf({ length }: Pick<SortKernel, "length">, parts: number): Dealing {
  const share = Math.ceil(length / parts);
  const entries = align(4 * (parts + 1));
  return { share, entries, stride: entries + align(entryBytes * share) };
}

/** How many keys a block has room for: its share, and as many more as hardly ever come where keys are random. */
function roomFor(length: number, parts: number): number {
  const share = length / parts;
  return Math.ceil((share + 8 * Math.sqrt(share)) / 64) * 64;
}

/** Buckets of a block: about one for each key. */
const bucketsFor = (length: number, parts: number): number =>
  2 ** Math.max(5, Math.round(Math.log2(length / parts)));

/** Words of totals, at the beginning. */
const head = 4;

/** How many words a block has for each thing that it works with. */
function wordsOf({ length }: SortKernel, parts: number, threads: number): number[] {
  const room = roomFor(length, parts);
  const list = Math.max(room, dealingOf({ length }, parts).share);
  const buckets = bucketWords(bucketsFor(length, parts), threads);
  return [head, bucketWords(parts, threads), parts, list, list, room, room, buckets];
}

/** Words that a block works in. */
export const sharedSortScratch = (kernel: SortKernel, parts: number, threads: number): number =>
  startsIn(wordsOf(kernel, parts, threads)).count;

type Words = (index: string) => Reference;

/** What a block works in. */
export interface Room {
  /** Keys that it can sort. */
  readonly size: number;
  /** How many it is dealt, and how many all blocks before it are. */
  readonly count: Reference;
  readonly before: Reference;
  /** A bucket for each block, and where the first of them is. */
  readonly blocks: Buckets;
  readonly firstBlock: Pointer;
  /** Where what a block is dealt by each other one begins, among what that one deals. */
  readonly sources: Words;
  /** Keys, with a number each. */
  readonly keys: Words;
  readonly numbers: Words;
  readonly buckets: Buckets;
  readonly sorted: Entries;
}

export function roomOf(text: KernelText, kernel: SortKernel, parts: number): Room {
  const scratch = text.scratch(kernel);
  const { length } = kernel;
  const { from } = startsIn(wordsOf(kernel, parts, text.threads));
  const places = from.map(
    (offset): Words =>
      (index) =>
        text.reference(scratch, offset, [{ operand: index, factor: 1 }]),
  );
  const [totals, blocks, sources, keys, numbers, keyPlace, positionPlace, buckets] = places;
  return {
    size: roomFor(length, parts),
    count: totals("0"),
    before: totals("1"),
    blocks: { count: parts, word: blocks },
    firstBlock: text.pointer(scratch, from[1], []),
    ...{ sources, keys, numbers },
    buckets: { count: bucketsFor(length, parts), word: buckets },
    sorted: { keyPlace, positionPlace },
  };
}
