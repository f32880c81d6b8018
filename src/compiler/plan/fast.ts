// What lies in fast memory, of which there is little: what is used most often for its size.
import { itemSize, sizeOf } from "../../array/index.js";
import type { Buffer, Kernel, Step } from "../kernel.js";
import { kernelsIn, loadsOf, placesOf } from "../walk.js";
import type { Cluster } from "./clusters.js";
import type { Company } from "./company.js";
import { Shelves } from "./placing.js";
import { asOne, layRun, type Run } from "./runs.js";

/** Elements are loaded up to so many bytes at once. */
const grain = 16;
/** How often the body of a loop runs whose test decides that: a guess. */
const whileTurns = 16;
/** Touching memory at all costs as much as this many bytes of it. */
const touchBytes = 256;

/** What lies in fast memory, and where. */
interface Placing {
  readonly offsets: ReadonlyMap<Cluster, number>;
  readonly bytes: number;
}

/**
 * Finds places in so many bytes of fast memory for clusters of which nobody outside sees anything. Of the runs that are asked
 * for there are those for which nothing that is worth more has to lie elsewhere.
 */
export function placeFast(
  clusters: readonly Cluster[],
  steps: readonly Step[],
  visible: ReadonlySet<Buffer>,
  limit: number,
  company: Company,
  runs: readonly Run[] = [],
): Placing {
  if (limit === 0) return { offsets: new Map(), bytes: 0 };
  const printed = kernelsIn(steps).filter(({ kind }) => kind === "print");
  const outside = new Set([...visible, ...printed.flatMap(placesOf).map(({ buffer }) => buffer)]);
  const turns = turnsOf(steps);
  const worth = ({ users, buffers, bytes }: Cluster): number =>
    [...users].reduce((sum, { kernel }) => {
      const touched = touchedBy(kernel, buffers);
      return touched === 0 ? sum : sum + (turns.get(kernel) ?? 1) * (Math.min(touched, bytes) + touchBytes);
    }, 0) / bytes;
  const wanted = clusters
    .filter(
      ({ buffers, bytes }) => bytes > 0 && bytes <= limit && ![...buffers].some((one) => outside.has(one)),
    )
    .map((cluster) => ({ cluster, worth: worth(cluster) }))
    .sort((a, b) => b.worth - a.worth || b.cluster.bytes - a.cluster.bytes);
  const inOrder = wanted.map(({ cluster }) => cluster);
  const worthOf = ({ offsets }: Placing): number =>
    wanted.reduce((sum, { cluster, worth }) => sum + (offsets.has(cluster) ? worth : 0), 0);
  const apart = place(inOrder, [], new Shelves(company, grain, limit));
  let kept = runsOf(
    runs,
    inOrder.filter((cluster) => apart.offsets.has(cluster)),
  );
  for (; kept.length > 0; kept = kept.slice(1)) {
    const placing = place(inOrder, kept, new Shelves(company, grain, limit));
    if (worthOf(placing) >= worthOf(apart)) return placing;
  }
  return apart;
}

/** How many bytes of buffers that share their memory a kernel touches, each time that it runs. */
function touchedBy(kernel: Kernel, buffers: ReadonlySet<Buffer>): number {
  if (kernel.kind === "copy" && buffers.has(kernel.from.buffer) && buffers.has(kernel.to.buffer)) return 0;
  if (kernel.kind !== "loop") return Infinity;
  const stores = [...kernel.body, ...kernel.after].map(({ address }) => address);
  const touched = [...loadsOf(kernel).all, ...stores].map(({ buffer, strides, computed }) =>
    buffers.has(buffer)
      ? itemSize(buffer.dtype) *
        sizeOf(kernel.extents.filter((_, axis) => computed.length > 0 || strides[axis] !== 0))
      : 0,
  );
  return Math.max(0, ...touched);
}

/** Places clusters in their order, those of a run when it is the turn of the largest of them. */
function place(clusters: readonly Cluster[], runs: readonly PlacedRun[], shelves: Shelves): Placing {
  const offsets = new Map<Cluster, number>();
  const runOf = new Map(runs.flatMap((run) => run.clusters.map((cluster) => [cluster, run] as const)));
  for (const cluster of clusters) {
    const run = runOf.get(cluster);
    if (run !== undefined && run.largest !== cluster) continue;
    const start = shelves.place(run?.whole ?? cluster);
    if (start === null) continue;
    if (run === undefined) offsets.set(cluster, start);
    else run.clusters.forEach((one, at) => offsets.set(one, start + run.starts[at]));
  }
  return { offsets, bytes: shelves.bytes };
}

/** Clusters that are to be placed together. */
interface PlacedRun {
  readonly clusters: readonly Cluster[];
  readonly starts: readonly number[];
  readonly largest: Cluster;
  readonly whole: Cluster;
}

/** Runs of some clusters, each of which is in one at most. */
function runsOf(runs: readonly Run[], clusters: readonly Cluster[]): PlacedRun[] {
  const free = new Map<Buffer, Cluster>();
  for (const cluster of clusters) for (const buffer of cluster.buffers) free.set(buffer, cluster);
  return runs.flatMap((run): PlacedRun[] => {
    const own = run.flatMap((buffer) => free.get(buffer) ?? []);
    if (new Set(own).size < run.length) return [];
    for (const { buffers } of own) for (const buffer of buffers) free.delete(buffer);
    const { offsets, bytes } = layRun(run);
    const largest = own.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    return [{ clusters: own, starts: offsets, largest, whole: asOne(own, bytes) }];
  });
}

/** How often kernels run. */
function turnsOf(steps: readonly Step[], around = 1, found = new Map<Kernel, number>()): Map<Kernel, number> {
  for (const step of steps) {
    switch (step.kind) {
      case "kernel":
        found.set(step.kernel, around);
        break;
      case "loop":
        turnsOf(step.body, around * step.counter.length, found);
        break;
      case "while":
        turnsOf([...step.test, ...step.body], around * whileTurns, found);
        break;
      case "branch":
        for (const steps of step.cases) turnsOf(steps, around, found);
        break;
    }
  }
  return found;
}
