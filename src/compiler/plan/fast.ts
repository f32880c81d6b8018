// What lies in fast memory, of which there is little: what is used most often for its size.
import type { Buffer, Kernel, Step } from "../kernel.js";
import { kernelsIn, placesOf } from "../walk.js";
import type { Cluster } from "./clusters.js";
import type { Company } from "./company.js";
import { Shelves } from "./placing.js";

/** Elements are loaded up to so many bytes at once. */
const grain = 16;
/** How often the body of a loop runs whose test decides that: a guess. */
const whileTurns = 16;
/** Touching memory at all costs as much as this many bytes of it. */
const touchBytes = 256;

/** Finds places in so many bytes of fast memory for clusters of which nobody outside sees anything. */
export function placeFast(
  clusters: readonly Cluster[],
  steps: readonly Step[],
  visible: ReadonlySet<Buffer>,
  limit: number,
  company: Company,
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
  for (const { cluster } of wanted) {
    const offset = shelves.place(cluster);
    if (offset !== null) offsets.set(cluster, offset);
  }
  return { offsets, bytes: shelves.bytes };
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
