// What each kernel reads and writes, and whether a result may take the place of something it reads.
import { sizeOf } from "../../array/index.js";
import type { Address, Buffer, Counter, ExchangeKernel, Kernel, Place, Pull, Store } from "../kernel.js";
import { loadsOf } from "../walk.js";

export interface Access {
  readonly buffer: Buffer;
  readonly kind: "read" | "write";
  /** Loops whose iterations each touch another part of the buffer. */
  readonly counters: readonly Counter[];
  /** Whether the whole buffer is written, so that what was there is gone. */
  readonly isWhole: boolean;
}

const read = ({ buffer, counters }: Place): Access => ({
  buffer,
  kind: "read",
  counters: counters.map(({ counter }) => counter),
  isWhole: false,
});

const write = ({ buffer, counters }: Place, isWhole = false): Access => ({
  buffer,
  kind: "write",
  counters: counters.map(({ counter }) => counter),
  isWhole,
});

const stores = (list: readonly Store[]): Access[] =>
  list.flatMap((store) => [...(store.combine === "set" ? [] : [read(store.address)]), write(store.address)]);

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
      return [...loadsOf(kernel).all.map(read), ...stores([...kernel.body, ...kernel.after])];
    case "dot":
      return [
        read(kernel.left),
        read(kernel.right),
        ...loadsOf(kernel).all.map(read),
        ...stores(kernel.stores),
      ];
    case "sort":
      return [
        ...kernel.keys.map(read),
        ...kernel.values.flatMap(({ from }) => (from === null ? [] : [read(from)])),
        ...kernel.values.map(({ to }) => write(to)),
      ];
    case "copy": {
      const isWhole = kernel.to.counters.length === 0 && kernel.size === kernel.to.buffer.size;
      return [read(kernel.from), write(kernel.to, isWhole)];
    }
    case "print":
      return kernel.operands.map(read);
    case "exchange":
      return [...kernel.pulls.map(({ from }) => read(from)), ...kernel.pulls.map(({ to }) => write(to))];
    case "axisIndex":
      return [write(kernel.to)];
  }
}

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
