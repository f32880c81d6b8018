// Sorts whose values are numbers that count up: what they reorder are positions, which they know without reading them.
import type { Buffer, Kernel, LoopKernel, Place, SortKernel, Step, Store } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import { insideOf, kernelsIn, mapInside } from "../walk.js";

/** The steps without such numbers, if nothing else reads them. `kept` are buffers that are needed in any case. */
export function withPositions(steps: readonly Step[], kept: ReadonlySet<Buffer>): readonly Step[] {
  const counted = countedIn(steps, kept);
  return counted.size === 0 ? steps : replaced(steps, counted);
}

/** Buffers that hold 0, 1, 2 and so on, and that only sorts of one lane read, as values. */
function countedIn(steps: readonly Step[], kept: ReadonlySet<Buffer>): ReadonlySet<Buffer> {
  const kernels = kernelsIn(steps);
  if (!kernels.some(({ kind }) => kind === "sort")) return new Set();
  const found = new Map<Buffer, number>();
  for (const kernel of kernels)
    if (kernel.kind === "loop")
      for (const store of kernel.body)
        if (counts(kernel, store)) found.set(store.address.buffer, store.address.buffer.size);
  const drop = (buffer: Buffer) => found.delete(buffer);
  kept.forEach(drop);
  looksIn(steps).forEach(({ buffer }) => drop(buffer));
  const written = new Set<Buffer>();
  for (const kernel of kernels) {
    const values = kernel.kind === "sort" ? valuesOf(kernel) : [];
    for (const { buffer, kind } of accessesOf(kernel)) {
      const isValue = values.some((place) => place.buffer === buffer);
      if (kind === "read" ? !isValue : written.has(buffer)) drop(buffer);
      if (kind === "write") written.add(buffer);
    }
  }
  return new Set(found.keys());
}

/** Whether a store puts the position of each element there. */
function counts({ extents, outer, order }: LoopKernel, { address, value, combine, guard }: Store): boolean {
  const { buffer, offset, counters, strides, computed } = address;
  return (
    extents.length === 1 &&
    outer === 1 &&
    order === "free" &&
    extents[0] === buffer.size &&
    value.kind === "axis" &&
    buffer.dtype === "int32" &&
    combine === "set" &&
    guard === null &&
    strides[0] === 1 &&
    offset === 0 &&
    counters.length === 0 &&
    computed.length === 0
  );
}

/** The values of a sort that may be positions: whole arrays of one lane, by which it does not sort. */
function valuesOf({ lanes, length, keys, values }: SortKernel): Place[] {
  if (lanes > 1) return [];
  const arrays = values.flatMap(({ from }) => (from === null ? [] : [from]));
  return arrays.filter(
    ({ buffer, offset, counters }) =>
      offset === 0 &&
      counters.length === 0 &&
      buffer.size === length &&
      keys.every((key) => key.buffer !== buffer),
  );
}

/** What loops and branches are decided by. */
const looksIn = (steps: readonly Step[]): Place[] =>
  steps.flatMap((step) => {
    if (step.kind === "kernel") return [];
    const own = step.kind === "while" ? [step.predicate] : step.kind === "branch" ? [step.index] : [];
    return [...own, ...looksIn(insideOf(step))];
  });

const replaced = (steps: readonly Step[], counted: ReadonlySet<Buffer>): Step[] =>
  steps.flatMap((step): Step[] => {
    if (step.kind !== "kernel") return [mapInside(step, (inside) => replaced(inside, counted))];
    const kernel = withoutCounting(step.kernel, counted);
    return kernel === null ? [] : [{ kind: "kernel", kernel }];
  });

function withoutCounting(kernel: Kernel, counted: ReadonlySet<Buffer>): Kernel | null {
  if (kernel.kind === "sort") {
    const values = kernel.values.map(({ from, to }) => ({
      from: from !== null && counted.has(from.buffer) ? null : from,
      to,
    }));
    return { ...kernel, values };
  }
  if (kernel.kind !== "loop") return kernel;
  const body = kernel.body.filter(({ address }) => !counted.has(address.buffer));
  if (body.length === kernel.body.length) return kernel;
  return body.length + kernel.after.length === 0 ? null : { ...kernel, body };
}
