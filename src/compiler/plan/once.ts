// Large arrays that hold the same in all parts of a machine, such as what a replay buffer keeps: one copy is enough for all.
// Who writes there does so in shares, each part some of the points.
import type { Buffer, Kernel, LoopKernel } from "../kernel.js";
import { loadsOf } from "../walk.js";
import { accessesOf } from "./accesses.js";
import type { Cluster } from "./clusters.js";

/** Whether parts can do a kernel in shares: its points wait for nothing but what was there before. */
const isOfPoints = (kernel: Kernel): boolean =>
  kernel.kind === "copy" ||
  (kernel.kind === "loop" && kernel.order === "free" && kernel.reductions.length === 0);

/** Whether what a kernel stores can be stored apart: it reads nothing that it may write over. */
const mayBeSplit = (kernel: Kernel): kernel is LoopKernel =>
  kernel.kind === "loop" && loadsOf(kernel).all.length === 0;

/** A kernel, or several in its place, each of which writes either only what there is one copy of or nothing of that. */
export function splitByCopies(kernel: LoopKernel, common: ReadonlySet<Buffer>): readonly LoopKernel[] {
  if (!mayBeSplit(kernel)) return [kernel];
  const once = kernel.body.filter(({ address }) => common.has(address.buffer));
  if (once.length === 0 || once.length === kernel.body.length) return [kernel];
  const others = kernel.body.filter((store) => !once.includes(store));
  return [others, once].map((body) => ({ ...kernel, body }));
}

/**
 * Those of some clusters of which one copy is enough, where they have at least so many bytes; finds out which buffers hold
 * something else in each part.
 */
export function keptOnce(
  clusters: readonly Cluster[],
  leastBytes: number,
  findDiffering: () => ReadonlySet<Buffer>,
): ReadonlySet<Cluster> {
  const large = clusters.filter(({ bytes }) => bytes >= leastBytes);
  if (large.length === 0) return new Set();
  const differing = findDiffering();
  let found = new Set(large.filter(({ buffers }) => ![...buffers].some((buffer) => differing.has(buffer))));
  for (;;) {
    const once = new Set([...found].flatMap(({ buffers }) => [...buffers]));
    // Whoever writes them writes nothing else, or can do so apart, and moves nothing within one of them.
    const left = [...found].filter((cluster) =>
      [...cluster.users].every(({ kernel }) => {
        const writes = accessesOf(kernel).filter(({ kind }) => kind === "write");
        if (!writes.some(({ buffer }) => cluster.buffers.has(buffer))) return true;
        const isMove =
          kernel.kind === "copy" && cluster.buffers.has(kernel.from.buffer) && !isSamePlace(kernel);
        const writesOthers = writes.some(({ buffer }) => !once.has(buffer));
        return isOfPoints(kernel) && !isMove && (!writesOthers || mayBeSplit(kernel));
      }),
    );
    if (left.length === found.size) return found;
    found = new Set(left);
  }
}

/** Whether a copy is to where its array lies already. */
const isSamePlace = ({ from, to }: Extract<Kernel, { kind: "copy" }>): boolean =>
  from.offset === to.offset && from.counters.length === 0 && to.counters.length === 0;
