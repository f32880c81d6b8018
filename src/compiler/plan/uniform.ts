// What is the same in all parts of a machine that run a program together.
import type { NamedAxis } from "../../array/index.js";
import type { Buffer, ExchangeKernel, Kernel, SortKernel, Step } from "../kernel.js";
import { expressionsBelow, kernelsIn, loadsIn, reductionRoots, rootsOf } from "../walk.js";
import { accessesOf } from "./accesses.js";

/** Whether what a kernel writes may differ from part to part, though what it reads is the same. */
function tellsApart(kernel: Kernel): boolean {
  if (kernel.kind === "axisIndex") return true;
  return (
    kernel.kind === "exchange" &&
    (kernel.pairs !== null || kernel.pulls.some(({ perReceiver }) => perReceiver !== 0))
  );
}

/** Whether all parts take part in an exchange together, rather than some among themselves. */
export const isOfAll = ({ axes: own }: ExchangeKernel, axes: readonly NamedAxis[]): boolean =>
  axes.every(({ name, size }) => size === 1 || own.includes(name));

/** Whether all parts get the same, whatever they have. */
const makesAlike = (kernel: Kernel, axes: readonly NamedAxis[]): boolean =>
  kernel.kind === "exchange" && isOfAll(kernel, axes) && !tellsApart(kernel);

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
  const accesses = accessesOf(kernel);
  const read = accesses.filter(({ kind }) => kind === "read").map(({ buffer }) => buffer);
  return accesses.flatMap(({ buffer, kind }) => (kind === "write" ? [{ to: buffer, from: read }] : []));
}

/** Buffers that may hold something else in each part, of parts that are arranged along axes. */
export function differingIn(steps: readonly Step[], axes: readonly NamedAxis[]): ReadonlySet<Buffer> {
  const kernels = kernelsIn(steps).filter((kernel) => !makesAlike(kernel, axes));
  const found = new Set(kernels.filter(tellsApart).flatMap((kernel) => flowsOf(kernel).map(({ to }) => to)));
  const flows = kernels.flatMap(flowsOf);
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const { to, from } of flows) if (from.some((buffer) => found.has(buffer))) found.add(to);
  }
  return found;
}

/** Lanes from this length on are worth being sorted by all parts together. */
const longLane = 2048;

/** Sorts that all parts would do alike, and can do together: of one lane, by one key. */
export function sharedSortsIn(steps: readonly Step[], axes: readonly NamedAxis[]): ReadonlySet<SortKernel> {
  const sorts = kernelsIn(steps).filter((kernel) => kernel.kind === "sort");
  const long = sorts.filter(
    ({ lanes, keys, length }) => lanes === 1 && keys.length === 1 && length >= longLane,
  );
  if (long.length === 0) return new Set();
  const differing = differingIn(steps, axes);
  return new Set(
    long.filter(({ keys, values }) =>
      [...keys, ...values.map(({ from }) => from)].every(
        (place) => place === null || !differing.has(place.buffer),
      ),
    ),
  );
}
