// Addresses for buffers: what is never in use at the same time shares memory, and results take the place of
// what they replace wherever that is safe.
import { itemSize } from "../../array/index.js";
import type { Buffer, Kernel, Step } from "../kernel.js";
import { accessesOf, canOverwrite, loadsOf } from "./accesses.js";
import { findLifetimes, type Interval, type Lifetimes, type PlacedKernel } from "./lifetimes.js";

export interface MemoryPlan {
  /** The address of every buffer that is used, in bytes. */
  readonly addresses: ReadonlyMap<Buffer, number>;
  /** Memory needed, in bytes. */
  readonly bytes: number;
  /** Copies that turned out to be from a buffer to itself. */
  readonly isIdle: (kernel: Kernel) => boolean;
}

const alignment = 64;
const align = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

export const bytesOf = ({ dtype, size }: Buffer): number => itemSize(dtype) * size;

/** Buffers that share one piece of memory. */
interface Cluster {
  readonly buffers: Buffer[];
  intervals: readonly Interval[];
  readonly bytes: number;
}

/** Plans the memory of a program. Buffers in `kept` keep what is in them from call to call. */
export function planMemory(
  steps: readonly Step[],
  inputs: readonly Buffer[],
  outputs: readonly Buffer[],
  kept: readonly Buffer[],
): MemoryPlan {
  const lifetimes = findLifetimes(steps, [...inputs, ...kept], [...outputs, ...kept]);
  const always: Interval = { start: -Infinity, end: Infinity };
  const clusters = new Map<Buffer, Cluster>();
  for (const [buffer, intervals] of lifetimes.intervals) {
    const own = kept.includes(buffer) ? [always] : [...intervals].sort((a, b) => a.start - b.start);
    clusters.set(buffer, { buffers: [buffer], intervals: own, bytes: bytesOf(buffer) });
  }
  uniteCopies(lifetimes, clusters);
  uniteInPlace(lifetimes, clusters);
  const beyond = reachBeyond(lifetimes.kernels);
  const guard = align(beyond.before);
  const distinct = [...new Set(clusters.values())];
  const { offsets, bytes } = assign(distinct);
  const addresses = new Map<Buffer, number>();
  for (const [buffer, cluster] of clusters) addresses.set(buffer, guard + (offsets.get(cluster) ?? 0));
  return {
    addresses,
    bytes: guard + bytes + align(beyond.behind + alignment),
    isIdle: (kernel) =>
      kernel.kind === "copy" &&
      kernel.from.offset === kernel.to.offset &&
      kernel.from.counters.length === 0 &&
      kernel.to.counters.length === 0 &&
      clusters.get(kernel.from.buffer) === clusters.get(kernel.to.buffer),
  };
}

/** Whether two sorted lists of intervals have a position in common. */
function overlap(a: readonly Interval[], b: readonly Interval[]): boolean {
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i].end < b[j].start) i++;
    else if (b[j].end < a[i].start) j++;
    else return true;
  }
  return false;
}

const mergeIntervals = (a: readonly Interval[], b: readonly Interval[]): Interval[] =>
  [...a, ...b].sort((x, y) => x.start - y.start);

/** Whether two clusters can be one: never in use together, and no kernel spoils one by writing the other. */
function canUnite(users: Lifetimes["users"], a: Cluster, b: Cluster): boolean {
  if (a.bytes !== b.bytes || overlap(a.intervals, b.intervals)) return false;
  const kernelsOf = (cluster: Cluster) => cluster.buffers.flatMap((buffer) => users.get(buffer) ?? []);
  const ours = new Set(kernelsOf(a));
  return kernelsOf(b)
    .filter((placed) => ours.has(placed))
    .every(({ kernel }) => touchesSafely(kernel, a, b) && touchesSafely(kernel, b, a));
}

/** Whether what a kernel reads of one cluster survives what it writes to the other. */
function touchesSafely(kernel: Kernel, readers: Cluster, writers: Cluster): boolean {
  const accesses = accessesOf(kernel);
  const read = readers.buffers.filter((buffer) =>
    accesses.some((access) => access.buffer === buffer && access.kind === "read"),
  );
  const written = writers.buffers.filter((buffer) =>
    accesses.some((access) => access.buffer === buffer && access.kind === "write"),
  );
  return read.every((from) => written.every((to) => canOverwrite(kernel, from, to)));
}

function unite(clusters: Map<Buffer, Cluster>, a: Cluster, b: Cluster): void {
  const united: Cluster = {
    buffers: [...a.buffers, ...b.buffers],
    intervals: mergeIntervals(a.intervals, b.intervals),
    bytes: a.bytes,
  };
  for (const buffer of united.buffers) clusters.set(buffer, united);
}

/** Makes copies superfluous: the copy takes the place of the original if that is not needed any more. */
function uniteCopies({ kernels, users }: Lifetimes, clusters: Map<Buffer, Cluster>): void {
  for (const { kernel } of kernels) {
    if (kernel.kind !== "copy") continue;
    const { from, to, size } = kernel;
    const isWhole = [from, to].every(
      (place) => place.offset === 0 && place.counters.length === 0 && place.buffer.size === size,
    );
    const [a, b] = [clusters.get(from.buffer), clusters.get(to.buffer)];
    if (isWhole && a !== undefined && b !== undefined && a !== b && canUnite(users, a, b))
      unite(clusters, a, b);
  }
}

/** Lets results take the place of operands that are read for the last time. */
function uniteInPlace({ kernels, users }: Lifetimes, clusters: Map<Buffer, Cluster>): void {
  for (const placed of kernels) {
    const { kernel } = placed;
    if (kernel.kind !== "loop" && kernel.kind !== "dot") continue;
    const stores = kernel.kind === "loop" ? kernel.body : kernel.stores;
    const sources = new Set(loadsOf(kernel).all.map(({ buffer }) => buffer));
    for (const { address } of stores) {
      for (const source of sources) {
        const [a, b] = [clusters.get(source), clusters.get(address.buffer)];
        if (a === undefined || b === undefined || a === b || a.bytes !== b.bytes) continue;
        if (endsAt(a, placed) && canUnite(users, a, b)) {
          unite(clusters, a, b);
          break;
        }
      }
    }
  }
}

const endsAt = ({ intervals }: Cluster, { position }: PlacedKernel): boolean =>
  intervals.some(({ end }) => end === position);

/** Offsets for clusters: first those of more than a scalar or two, then all the small ones behind them. */
function assign(clusters: readonly Cluster[]): { offsets: Map<Cluster, number>; bytes: number } {
  const offsets = new Map<Cluster, number>();
  const isSmall = ({ bytes }: Cluster) => bytes <= alignment;
  const large = placeLarge(
    clusters.filter((cluster) => !isSmall(cluster)),
    offsets,
  );
  return { offsets, bytes: placeSmall(clusters.filter(isSmall), large, offsets) };
}

/** A cluster that has its place: where it lies, and when it is in use. */
interface Placed {
  readonly start: number;
  readonly end: number;
  readonly busy: readonly Interval[];
}

/** The largest first, each at the lowest place that is free while it is in use; returns where they end. */
function placeLarge(clusters: readonly Cluster[], offsets: Map<Cluster, number>): number {
  /** By where they start. */
  const placed: Placed[] = [];
  let bytes = 0;
  for (const cluster of [...clusters].sort((a, b) => b.bytes - a.bytes)) {
    // A kernel may still read one buffer while it writes another: reading lasts as long as the kernel.
    const busy = cluster.intervals.map(({ start, end }) => ({ start, end: end + 1 }));
    let offset = 0;
    for (const other of placed) {
      if (other.start - offset >= cluster.bytes) break;
      if (other.end > offset && overlap(busy, other.busy)) offset = other.end;
    }
    const end = offset + align(cluster.bytes);
    const behind = placed.findIndex(({ start }) => start > offset);
    placed.splice(behind < 0 ? placed.length : behind, 0, { start: offset, end, busy });
    offsets.set(cluster, offset);
    bytes = Math.max(bytes, end);
  }
  return bytes;
}

/** Small clusters, of which there are many, in slots of one size; returns where they end. */
function placeSmall(clusters: readonly Cluster[], from: number, offsets: Map<Cluster, number>): number {
  const spans = clusters.map((cluster) => ({
    cluster,
    start: Math.min(...cluster.intervals.map(({ start }) => start)),
    end: Math.max(...cluster.intervals.map(({ end }) => end)) + 1,
  }));
  /** When each slot is free again. */
  const slots: number[] = [];
  for (const { cluster, start, end } of spans.sort((a, b) => a.start - b.start)) {
    offsets.set(cluster, from);
    if (cluster.bytes === 0) continue;
    const free = slots.findIndex((until) => until < start);
    const slot = free < 0 ? slots.length : free;
    slots[slot] = end;
    offsets.set(cluster, from + slot * alignment);
  }
  return from + slots.length * alignment;
}

/** How far kernels may read before and behind a buffer, in bytes, where padding hides what they find. */
function reachBeyond(kernels: readonly PlacedKernel[]): { before: number; behind: number } {
  const beyond = { before: 0, behind: 0 };
  for (const { kernel } of kernels) {
    if (kernel.kind !== "loop" && kernel.kind !== "dot") continue;
    const extents =
      kernel.kind === "loop" ? kernel.extents : [...kernel.batch, ...kernel.rows, ...kernel.columns];
    for (const { buffer, offset, strides, counters } of loadsOf(kernel).all) {
      let [low, high] = [offset, offset + 1];
      const grow = (by: number) => {
        if (by < 0) low += by;
        else high += by;
      };
      strides.forEach((stride, axis) => grow(stride * Math.max(0, extents[axis] - 1)));
      counters.forEach(({ counter, stride }) => grow(stride * (counter.length - 1)));
      const item = itemSize(buffer.dtype);
      beyond.before = Math.max(beyond.before, -low * item);
      beyond.behind = Math.max(beyond.behind, (high - buffer.size) * item);
    }
  }
  return beyond;
}
