// What lies in fast memory, of which there is little: what is used most often for its size.
import type { Buffer, Kernel, Step } from "../kernel.js";
import { kernelsIn, placesOf } from "../walk.js";
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

/** Finds places in so many bytes of fast memory for clusters of which nobody outside sees anything, in runs where that goes. */
export function placeFast(
  clusters: readonly Cluster[],
  steps: readonly Step[],
  visible: ReadonlySet<Buffer>,
  limit: number,
  company: Company,
  runs: readonly Run[] = [],
): { readonly offsets: ReadonlyMap<Cluster, number>; readonly bytes: number } {
  const offsets = new Map<Cluster, number>();
  if (limit === 0) return { offsets, bytes: 0 };
  const printed = kernelsIn(steps).filter(({ kind }) => kind === "print");
  const outside = new Set([...visible, ...printed.flatMap(placesOf).map(({ buffer }) => buffer)]);
  const turns = turnsOf(steps);
  const worth = ({ users, bytes }: Cluster): number =>
    [...users].reduce((sum, { kernel }) => sum + (turns.get(kernel) ?? 1), 0) * (1 + touchBytes / bytes);
  const shelves = new Shelves(company, grain, limit);
  const wanted = clusters
    .filter(
      ({ buffers, bytes }) => bytes > 0 && bytes <= limit && ![...buffers].some((one) => outside.has(one)),
    )
    .map((cluster) => ({ cluster, worth: worth(cluster) }))
    .sort((a, b) => b.worth - a.worth || b.cluster.bytes - a.cluster.bytes);
  const ranks = new Map(wanted.map(({ cluster }, rank) => [cluster, rank]));
  const byLargest = runsByLargest(runs, ranks);
  const later = new Set([...byLargest.values()].flatMap(({ clusters }) => clusters));
  for (const { cluster } of wanted) {
    if (offsets.has(cluster) || (later.has(cluster) && !byLargest.has(cluster))) continue;
    const run = byLargest.get(cluster);
    const start = run === undefined ? null : shelves.place(run.whole);
    if (run !== undefined && start !== null)
      run.clusters.forEach((one, at) => offsets.set(one, start + run.starts[at]));
    else
      for (const one of run?.clusters ?? [cluster]) {
        const offset = shelves.place(one);
        if (offset !== null) offsets.set(one, offset);
      }
  }
  return { offsets, bytes: shelves.bytes };
}

/** Clusters that are to be placed together. */
interface PlacedRun {
  readonly clusters: readonly Cluster[];
  readonly starts: readonly number[];
  readonly whole: Cluster;
}

/** Runs by the largest of their clusters, whose turn it is theirs; each cluster is in one run at most. */
function runsByLargest(runs: readonly Run[], ranks: ReadonlyMap<Cluster, number>): Map<Cluster, PlacedRun> {
  const found = new Map<Cluster, PlacedRun>();
  const taken = new Set<Cluster>();
  const clusterOf = new Map<Buffer, Cluster>();
  for (const cluster of ranks.keys()) for (const buffer of cluster.buffers) clusterOf.set(buffer, cluster);
  for (const run of runs) {
    const clusters = run.flatMap((buffer) => clusterOf.get(buffer) ?? []);
    const isFree = clusters.length === run.length && !clusters.some((cluster) => taken.has(cluster));
    if (!isFree || new Set(clusters).size < clusters.length) continue;
    clusters.forEach((cluster) => taken.add(cluster));
    const { offsets, bytes } = layRun(run);
    const largest = clusters.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    found.set(largest, { clusters, starts: offsets, whole: asOne(clusters, bytes) });
  }
  return found;
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
