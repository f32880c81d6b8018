// What is the same in all parts of a machine that run a program together.
import type { Buffer, Kernel, SortKernel, Step } from "../kernel.js";
import { kernelsIn } from "../walk.js";
import { accessesOf } from "./accesses.js";

/** Whether what a kernel writes may differ from part to part, though what it reads is the same. */
function tellsApart(kernel: Kernel): boolean {
  if (kernel.kind === "axisIndex") return true;
  return (
    kernel.kind === "exchange" &&
    (kernel.pairs !== null || kernel.pulls.some(({ perReceiver }) => perReceiver !== 0))
  );
}

/** Whether all parts get the same, whatever they have. */
const makesAlike = (kernel: Kernel): boolean => kernel.kind === "exchange" && !tellsApart(kernel);

/** Buffers that may hold something else in each part. */
export function differingIn(steps: readonly Step[]): ReadonlySet<Buffer> {
  const kernels = kernelsIn(steps);
  const found = new Set<Buffer>();
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const kernel of kernels) {
      if (makesAlike(kernel)) continue;
      const accesses = accessesOf(kernel);
      const differs =
        tellsApart(kernel) || accesses.some(({ buffer, kind }) => kind === "read" && found.has(buffer));
      if (!differs) continue;
      for (const { buffer, kind } of accesses) if (kind === "write") found.add(buffer);
    }
  }
  return found;
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
      [...keys, ...values.map(({ from }) => from)].every(({ buffer }) => !differing.has(buffer)),
    ),
  );
}
