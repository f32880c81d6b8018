// Buffers that share one piece of memory, and which of them may. Two clusters become one by moving the smaller into
// the larger, so that long chains of buffers are no more work than many short ones.
import { itemSize } from "../../array/index.js";
import type { Buffer, Kernel } from "../kernel.js";
import { accessesOf, canOverwrite } from "./accesses.js";
import { endsAt, insertIntervals, joined, meet, type Interval } from "./intervals.js";
import type { Lifetimes, PlacedKernel } from "./lifetimes.js";

export const bytesOf = ({ dtype, size }: Buffer): number => itemSize(dtype) * size;

export interface Cluster {
  readonly bytes: number;
  readonly buffers: ReadonlySet<Buffer>;
  /** When it is in use: in order, none meeting another. */
  readonly intervals: readonly Interval[];
  /** The kernels that touch it. */
  readonly users: ReadonlySet<PlacedKernel>;
}

interface Growing extends Cluster {
  readonly buffers: Set<Buffer>;
  readonly intervals: Interval[];
  readonly users: Set<PlacedKernel>;
}

const always: Interval = { start: -Infinity, end: Infinity };

export class Clusters {
  private readonly byBuffer = new Map<Buffer, Growing>();

  /** Every buffer by itself; those in `kept` are always in use. */
  constructor({ intervals, users }: Lifetimes, kept: ReadonlySet<Buffer>) {
    for (const [buffer, own] of intervals) {
      this.byBuffer.set(buffer, {
        bytes: bytesOf(buffer),
        buffers: new Set([buffer]),
        intervals: kept.has(buffer) ? [always] : joined(own),
        users: new Set(users.get(buffer)),
      });
    }
  }

  of(buffer: Buffer): Cluster | undefined {
    return this.byBuffer.get(buffer);
  }

  [Symbol.iterator](): Iterator<Cluster> {
    return new Set(this.byBuffer.values()).values();
  }

  /** Lets two buffers share memory if they can: never in use together, and no kernel spoils one by writing the other. */
  unite(one: Buffer, other: Buffer): boolean {
    const [a, b] = [this.byBuffer.get(one), this.byBuffer.get(other)];
    if (a === undefined || b === undefined || a === b || a.bytes !== b.bytes) return false;
    const [small, large] =
      a.users.size + a.intervals.length < b.users.size + b.intervals.length ? [a, b] : [b, a];
    if (meet(small.intervals, large.intervals)) return false;
    for (const user of small.users) {
      if (!large.users.has(user)) continue;
      if (!touchesSafely(user.kernel, small, large) || !touchesSafely(user.kernel, large, small))
        return false;
    }
    insertIntervals(large.intervals, small.intervals);
    for (const user of small.users) large.users.add(user);
    for (const buffer of small.buffers) {
      large.buffers.add(buffer);
      this.byBuffer.set(buffer, large);
    }
    return true;
  }

  /** Whether what a buffer holds is read for the last time at a position. */
  endsAt(buffer: Buffer, position: number): boolean {
    return endsAt(this.byBuffer.get(buffer)?.intervals ?? [], position);
  }
}

/** Whether what a kernel reads of one cluster survives what it writes to the other. */
function touchesSafely(kernel: Kernel, readers: Cluster, writers: Cluster): boolean {
  const accesses = accessesOf(kernel);
  const touched = (kind: "read" | "write", cluster: Cluster) =>
    new Set(
      accesses
        .filter((access) => access.kind === kind && cluster.buffers.has(access.buffer))
        .map(({ buffer }) => buffer),
    );
  const written = touched("write", writers);
  return [...touched("read", readers)].every((from) =>
    [...written].every((to) => canOverwrite(kernel, from, to)),
  );
}
