// Sorting by all blocks together, by what share of all numbers a key falls into: each block deals its part of the keys out to
// those whose they are, all meet, and each sorts what it is dealt. That is fast where keys are spread evenly, as random ones are;
// where too many fall to one block, the first block sorts all of them alone.
import type { SortKernel } from "../../kernel.js";
import type { Division } from "../../plan/arena.js";
import type { KernelText } from "../surroundings.js";
import type { Work } from "../work.js";
import { asTurns, type Moved } from "./again.js";
import { aloneBytes, sortAlone } from "./alone.js";
import { deal } from "./deal.js";
import { dealingOf } from "./room.js";
import { take } from "./take.js";

export { sortsFrom, turns } from "./again.js";
export { asLoop } from "./loop.js";
export { sharedSortScratch } from "./room.js";

/** Bytes of each of the two sides of common memory that blocks deal by, or one of them works in. */
export const sharedSortBytes = (kernel: SortKernel, parts: number): number =>
  Math.max(parts * dealingOf(kernel, parts).stride, aloneBytes(kernel) / 2);

export interface SharedSortWorks {
  readonly deal: Work;
  readonly take: Work;
  readonly alone: Work;
}

/**
 * What is done of a sort, or of several as turns of one loop, between two meetings of all blocks, and what the first block does
 * where that was too much.
 */
export function sharedSortWorks(
  sorts: readonly SortKernel[],
  division: Division,
  threads: number,
): SharedSortWorks {
  const [kernel] = sorts;
  const { values, variants } = asTurns(sorts);
  const work = (
    write: (text: KernelText, kernel: SortKernel, division: Division, values: readonly Moved[]) => void,
    words: string,
  ): Work => ({
    threads,
    write: (text) => write(text.of(variants), kernel, division, values),
    describe: () => words,
  });
  return {
    deal: work(deal, `sort of ${kernel.length} by all blocks, each deals out its part`),
    take: work(take, "each sorts what it is dealt"),
    alone: work(sortAlone, "a network of all keys"),
  };
}
