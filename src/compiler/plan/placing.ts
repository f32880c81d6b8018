// Where clusters lie: two that are in use at the same time lie apart.
import { lowerBound } from "../search.js";
import type { Cluster } from "./clusters.js";
import type { Company } from "./company.js";
import { insertIntervals, joined, meet, type Interval } from "./intervals.js";

export const alignment = 64;
export const align = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

/** Offsets for clusters: first those of more than a scalar or two, then all the small ones behind them. */
export function placeClusters(
  clusters: readonly Cluster[],
  company: Company,
): {
  readonly offsets: ReadonlyMap<Cluster, number>;
  readonly bytes: number;
} {
  const offsets = new Map<Cluster, number>();
  const isSmall = ({ bytes }: Cluster) => bytes <= alignment;
  const large = placeLarge(
    clusters.filter((cluster) => !isSmall(cluster)),
    offsets,
    company,
  );
  return { offsets, bytes: placeSmall(clusters.filter(isSmall), large, offsets, company) };
}

/** A piece of memory, and when it is in use by those that lie there. */
interface Shelf {
  readonly start: number;
  readonly end: number;
  readonly busy: Interval[];
}

/** Memory that clusters are put into one after the other, each at the lowest place that is free while it is in use. */
export class Shelves {
  /** By where they start. */
  private readonly shelves: Shelf[] = [];
  /** Where the last one ends. */
  bytes = 0;

  constructor(
    private readonly company: Company,
    private readonly grain = alignment,
    private readonly limit = Infinity,
  ) {}

  /** The offset of a cluster; null where it does not fit in. */
  place({ intervals, bytes }: Cluster): number | null {
    const { shelves } = this;
    const { lasts, rest } = this.company;
    const busy = joined(intervals.map(({ start, end }) => ({ start, end: lasts(end) })));
    const wide = joined(busy.map(({ start, end }) => ({ start: start - rest, end: end + rest })));
    const size = Math.ceil(bytes / this.grain) * this.grain;
    let offset = 0;
    for (const shelf of shelves) {
      if (shelf.start - offset >= bytes) break;
      const isAlike = shelf.start === offset && shelf.end === offset + size;
      if (shelf.end > offset && meet(shelf.busy, isAlike ? busy : wide)) offset = shelf.end;
    }
    const end = offset + size;
    if (end > this.limit) return null;
    const behind = lowerBound(shelves.length, (at) => shelves[at].start > offset);
    const last = shelves[behind - 1] as Shelf | undefined;
    if (last?.start === offset && last.end === end) insertIntervals(last.busy, busy);
    else shelves.splice(behind, 0, { start: offset, end, busy });
    this.bytes = Math.max(this.bytes, end);
    return offset;
  }
}

/** The largest first; returns where they end. */
function placeLarge(clusters: readonly Cluster[], offsets: Map<Cluster, number>, company: Company): number {
  const shelves = new Shelves(company);
  for (const cluster of [...clusters].sort((a, b) => b.bytes - a.bytes))
    offsets.set(cluster, shelves.place(cluster) as number);
  return shelves.bytes;
}

/** Small clusters, of which there are many, in slots of one size; returns where they end. */
function placeSmall(
  clusters: readonly Cluster[],
  from: number,
  offsets: Map<Cluster, number>,
  company: Company,
): number {
  const spans = clusters.map((cluster) => ({
    cluster,
    start: cluster.intervals[0].start,
    end: company.lasts(cluster.intervals[cluster.intervals.length - 1].end),
    slot: 0,
  }));
  const ending = [...spans].sort((a, b) => a.end - b.end);
  const free: number[] = [];
  let [slots, ended] = [0, 0];
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    for (; ending[ended].end + company.rest < span.start; ended++)
      if (ending[ended].cluster.bytes > 0) free.push(ending[ended].slot);
    if (span.cluster.bytes > 0) span.slot = free.pop() ?? slots++;
    offsets.set(span.cluster, from + span.slot * alignment);
  }
  return from + slots * alignment;
}
