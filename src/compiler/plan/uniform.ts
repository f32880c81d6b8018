// What is the same in all parts of a machine that run a program together.
import type { NamedAxis } from "../../array/index.js";
import type { Buffer, ExchangeKernel, Kernel, SortKernel, Step } from "../kernel.js";
import { expressionsBelow, kernelsIn, loadsIn, reductionRoots, rootsOf } from "../walk.js";
import { accessesOf } from "./accesses.js";

/** Whether all parts take part in an exchange together, rather than some among themselves. */
export const isOfAll = ({ axes: own }: ExchangeKernel, axes: readonly NamedAxis[]): boolean =>
  axes.every(({ name, size }) => size === 1 || own.includes(name));

/** A buffer that is written, and those that it depends on. */
interface Flow {
  readonly to: Buffer;
  readonly from: readonly Buffer[];
}

/** What each buffer that a kernel writes depends on: of a kernel that writes several, each on what is stored there. */
function flowsOf(kernel: Kernel): Flow[] {
  if (kernel.kind === "loop") {
    const reduced = loadsIn(reductionRoots(kernel));
    return [...kernel.body, ...kernel.after].map((store) => {
      const roots = rootsOf([store]);
      const needsTotals = expressionsBelow(roots).some(({ kind }) => kind === "reduced");
      const loads = [...loadsIn(roots), ...(needsTotals ? reduced : [])];
      return { to: store.address.buffer, from: loads.map(({ buffer }) => buffer) };
    });
  }
  if (kernel.kind === "exchange")
    return kernel.pulls.map(({ from, to }) => ({ to: to.buffer, from: [from.buffer] }));
  const accesses = accessesOf(kernel);
  const read = accesses.filter(({ kind }) => kind === "read").map(({ buffer }) => buffer);
  return accesses.flatMap(({ buffer, kind }) => (kind === "write" ? [{ to: buffer, from: read }] : []));
}

/** The axes along which parts get something else each by a kernel, and those along which they get the same. */
function differencesOf(kernel: Kernel): {
  readonly made: readonly string[];
  readonly lost: readonly string[];
} {
  if (kernel.kind === "axisIndex") return { made: kernel.axes, lost: [] };
  if (kernel.kind !== "exchange") return { made: [], lost: [] };
  const { axes, pairs, pulls } = kernel;
  const areAlike = pairs === null && pulls.every(({ perReceiver }) => perReceiver === 0);
  return areAlike ? { made: [], lost: axes } : { made: axes, lost: [] };
}

/** Buffers that may hold something else in each part. */
export function differingIn(steps: readonly Step[]): ReadonlySet<Buffer> {
  /** The axes along which what buffers hold differs. */
  const found = new Map<Buffer, Set<string>>();
  const flows = kernelsIn(steps).flatMap((kernel) => {
    const { made, lost } = differencesOf(kernel);
    return flowsOf(kernel).map(({ to, from }) => ({ to, from, made, lost: new Set(lost) }));
  });
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const { to, from, made, lost } of flows) {
      const known = found.get(to) ?? new Set();
      const before = known.size;
      for (const name of made) known.add(name);
      for (const buffer of from)
        for (const name of found.get(buffer) ?? []) if (!lost.has(name)) known.add(name);
      if (known.size === before) continue;
      found.set(to, known);
      isChanged = true;
    }
  }
  return new Set(found.keys());
}

/** Lanes from this length on are worth being sorted by all parts together. */
const longLane = 2048;

/** Sorts that all parts would do alike, and can do together: of one lane, by one key. */
export function sharedSortsIn(steps: readonly Step[]): ReadonlySet<SortKernel> {
  const sorts = kernelsIn(steps).filter((kernel) => kernel.kind === "sort");
  const long = sorts.filter(
    ({ lanes, keys, length }) => lanes === 1 && keys.length === 1 && length >= longLane,
  );
  if (long.length === 0) return new Set();
  const differing = differingIn(steps);
  return new Set(
    long.filter(({ keys, values }) =>
      [...keys, ...values.map(({ from }) => from)].every(
        (place) => place === null || !differing.has(place.buffer),
      ),
    ),
  );
}
