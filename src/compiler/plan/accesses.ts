// What each kernel reads and writes, and whether a result may take the place of something it reads.
import { sizeOf } from "../../array/index.js";
import type { Address, Buffer, Counter, ExchangeKernel, Kernel, Place, Pull, Store } from "../kernel.js";
import { extentsOf, loadsOf } from "../walk.js";

export interface Access {
  readonly buffer: Buffer;
  readonly kind: "read" | "write";
  /** Loops whose iterations each touch another part of the buffer. */
  readonly counters: readonly Counter[];
  /** Whether the whole buffer is written, so that what was there is gone. */
  readonly isWhole: boolean;
  /** The elements among which all are that are touched, from one to before another. */
  readonly range: Range;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

const all = ({ buffer }: Place): Range => ({ start: 0, end: buffer.size });

const read = (place: Place, range = all(place)): Access => ({
  buffer: place.buffer,
  kind: "read",
  counters: place.counters.map(({ counter }) => counter),
  isWhole: false,
  range,
});

const write = (place: Place, isWhole = false, range = all(place)): Access => ({
  buffer: place.buffer,
  kind: "write",
  counters: place.counters.map(({ counter }) => counter),
  isWhole,
  range,
});

/** The elements that an address names at the points of a kernel. */
function rangeOf(address: Address, extents: readonly number[]): Range {
  if (address.computed.length > 0 || address.counters.length > 0) return all(address);
  let [start, end] = [address.offset, address.offset + 1];
  address.strides.forEach((stride, axis) => {
    const furthest = stride * ((extents[axis] ?? 1) - 1);
    if (furthest < 0) start += furthest;
    else end += furthest;
  });
  return { start, end };
}

/** Whether two accesses of one buffer may touch the same element. */
export const overlap = (a: Access, b: Access): boolean =>
  a.range.start < b.range.end && b.range.start < a.range.end;

const loads = (kernel: Kernel): Access[] =>
  loadsOf(kernel).all.map((address) => read(address, rangeOf(address, extentsOf(kernel))));

const stores = (list: readonly Store[], kernel: Kernel): Access[] =>
  list.flatMap(({ address, combine }) => {
    const range = rangeOf(address, extentsOf(kernel));
    return [...(combine === "set" ? [] : [read(address, range)]), write(address, false, range)];
  });

const found = new WeakMap<Kernel, readonly Access[]>();

/** All accesses of a kernel, reads first. */
export function accessesOf(kernel: Kernel): readonly Access[] {
  const known = found.get(kernel) ?? findAccesses(kernel);
  found.set(kernel, known);
  return known;
}

function findAccesses(kernel: Kernel): Access[] {
  switch (kernel.kind) {
    case "loop":
      return [...loads(kernel), ...stores([...kernel.body, ...kernel.after], kernel)];
    case "dot":
      return [read(kernel.left), read(kernel.right), ...loads(kernel), ...stores(kernel.stores, kernel)];
    case "sort":
      return [
        ...kernel.keys.map((key) => read(key)),
        ...kernel.values.flatMap(({ from }) => (from === null ? [] : [read(from)])),
        ...kernel.values.map(({ to }) => write(to)),
      ];
    case "copy": {
      const isWhole = kernel.to.counters.length === 0 && kernel.size === kernel.to.buffer.size;
      return [read(kernel.from), write(kernel.to, isWhole)];
    }
    case "print":
      return kernel.operands.map((operand) => read(operand));
    case "exchange":
      return [...kernel.pulls.map(({ from }) => read(from)), ...kernel.pulls.map(({ to }) => write(to))];
    case "axisIndex":
      return [write(kernel.to)];
  }
}

/** Whether a kernel writes one of some buffers. */
export const writesTo = (kernel: Kernel, buffers: ReadonlySet<Buffer>): boolean =>
  accessesOf(kernel).some(({ buffer, kind }) => kind === "write" && buffers.has(buffer));

/**
 * Whether `from`, which a kernel reads, may share memory with `to`, which it writes: each iteration of its loops
 * must read only what the same iteration overwrites.
 */
export function canOverwrite(kernel: Kernel, from: Buffer, to: Buffer): boolean {
  switch (kernel.kind) {
    case "loop": {
      if (kernel.order !== "free") return false;
      const { all, after } = loadsOf(kernel);
      const isStored = (stores: readonly Store[]) => stores.some(({ address }) => address.buffer === to);
      // With reductions, what is stored afterwards may be read before, by the same point alone, but not the other way round.
      if (isStored(kernel.after))
        return !isStored(kernel.body) && areInStep(all, kernel.after, from, to, kernel.outer);
      return !after.some(({ buffer }) => buffer === from) && areInStep(all, kernel.body, from, to);
    }
    case "dot":
      if (kernel.left.buffer === from || kernel.right.buffer === from) return false;
      return areInStep(loadsOf(kernel).all, kernel.stores, from, to);
    case "copy":
      return true;
    case "exchange":
      return isInPlace(kernel, from, to);
    case "sort":
    case "print":
    case "axisIndex":
      return false;
  }
}

/** Whether all devices get the same, each element computed where it is read for the last time. */
function isInPlace({ combine, pulls }: ExchangeKernel, from: Buffer, to: Buffer): boolean {
  const isWhole = ({ buffer, offset, counters }: Place, { extents }: Pull) =>
    offset === 0 && counters.length === 0 && buffer.size === sizeOf(extents);
  return pulls.every((pull) => {
    const touches = pull.from.buffer === from || pull.to.buffer === to;
    if (!touches) return true;
    const isOwn = pull.from.buffer === from && pull.to.buffer === to;
    return (
      isOwn &&
      combine !== null &&
      pull.perReceiver === 0 &&
      isWhole(pull.from, pull) &&
      isWhole(pull.to, pull)
    );
  });
}

/** `kept` says how many of the axes stay, where the others are reduced. */
function areInStep(
  reads: readonly Address[],
  writes: readonly Store[],
  from: Buffer,
  to: Buffer,
  kept = Infinity,
): boolean {
  const ours = reads.filter(({ buffer }) => buffer === from);
  const theirs = writes.filter(({ address }) => address.buffer === to).map(({ address }) => address);
  const all = [...ours, ...theirs];
  const [first] = all;
  const step = Math.min(...first.strides.map((stride) => Math.abs(stride) || Infinity));
  return all.every(
    ({ strides, counters, computed, offset, buffer }) =>
      computed.length === 0 &&
      strides.every((stride, axis) => stride === first.strides[axis] && (stride !== 0) === axis < kept) &&
      counters.length === first.counters.length &&
      counters.every(
        ({ counter, stride }, at) =>
          counter === first.counters[at].counter && stride === first.counters[at].stride,
      ) &&
      // The elements of one iteration lie together, apart from those of others.
      Math.floor(offset / step) === Math.floor(first.offset / step) &&
      buffer.size === first.buffer.size,
  );
}
