// Kernels that run side by side: none of them waits for another, as far as what they read and write goes. Sharing memory
// would make them wait after all.
import type { Buffer } from "../kernel.js";
import { accessesOf } from "./accesses.js";
import type { Lifetimes, PlacedKernel } from "./lifetimes.js";

/** Who runs beside whom. */
export interface Company {
  /** Until when memory is in use whose last use is at a position. */
  readonly lasts: (position: number) => number;
  /** Whether a buffer is touched by another kernel beside the one at a position. */
  readonly touches: (buffer: Buffer, position: number) => boolean;
  /** For how many positions a place rests before something of another size comes there. */
  readonly rest: number;
}

/** Kernels one after the other: a kernel may still read one buffer while it writes another. */
export const alone: Company = { lasts: (position) => position + 1, touches: () => false, rest: 0 };

/** Neighbours that need not wait for each other run together. */
export function companyOf({ kernels, users }: Lifetimes): Company {
  const ends = new Map<number, number>();
  let group: PlacedKernel[] = [];
  let [read, written] = [new Set<Buffer>(), new Set<Buffer>()];
  const close = (): void => {
    const last = group.at(-1)?.position ?? 0;
    for (const { position } of group) ends.set(position, last + 1);
    group = [];
    [read, written] = [new Set(), new Set()];
  };
  for (const placed of kernels) {
    const accesses = accessesOf(placed.kernel);
    const mustWait = accesses.some(
      ({ buffer, kind }) => written.has(buffer) || (kind === "write" && read.has(buffer)),
    );
    if (mustWait) close();
    group.push(placed);
    for (const { buffer, kind } of accesses) (kind === "write" ? written : read).add(buffer);
    // All parts of the machine wait for each other in there.
    if (placed.kernel.kind === "exchange") close();
  }
  close();
  // Kernels read at even positions and write at the odd ones behind.
  const endOf = (position: number): number => ends.get(position - (position % 2)) ?? position + 1;
  return {
    lasts: endOf,
    touches: (buffer, position) =>
      (users.get(buffer) ?? []).some(
        (user) => user.position !== position && endOf(user.position) === endOf(position),
      ),
    rest: 0,
  };
}
