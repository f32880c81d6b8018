// The curves that the page has, by metric and run: fetched thinned, then lengthened by what comes live.
import type { AddedValues } from "../../src/dashboard/index.js";
import { fetchCurves, type FetchedCurve } from "./api.js";

export interface LiveCurve {
  readonly x: number[];
  readonly y: number[];
  /** How many values it stands for. */
  total: number;
  readonly generation: number;
  /** How many came live since it was fetched. */
  added: number;
}

/** Beyond this, a curve that grew live is fetched thinned again. */
const mostAdded = 3_000;

/** Stretches for each of so many curves: all of them together stay small enough to draw in one go. */
export const bucketsFor = (runs: number): number =>
  Math.max(120, Math.min(1_000, Math.round(40_000 / Math.max(1, runs))));

export class CurveStore {
  private readonly metrics = new Map<string, Map<string, LiveCurve>>();
  private readonly stale = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly runCount: () => number,
    private readonly changed: () => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** The curves of a metric by run, as far as they are there; asks for them the first time. */
  of(metric: string): ReadonlyMap<string, LiveCurve> {
    let curves = this.metrics.get(metric);
    if (curves === undefined) {
      curves = new Map();
      this.metrics.set(metric, curves);
      this.load(metric).catch(this.failed);
    }
    return curves;
  }

  /** Forgets metrics that are no longer shown. */
  keepOnly(metrics: readonly string[]): void {
    for (const metric of this.metrics.keys()) if (!metrics.includes(metric)) this.metrics.delete(metric);
  }

  async load(metric: string, runs: readonly string[] = []): Promise<void> {
    const fetched = await fetchCurves({ metric, runs, buckets: bucketsFor(this.runCount()) });
    const curves = this.metrics.get(metric);
    if (curves === undefined) return;
    for (const curve of fetched) curves.set(curve.id, liveFrom(curve));
    this.changed();
  }

  /** Fetches everything anew. */
  async reloadAll(): Promise<void> {
    await Promise.all([...this.metrics.keys()].map((metric) => this.load(metric)));
  }

  /** Fetches the curves of runs again, soon and together. */
  reload(ids: readonly string[]): void {
    for (const id of ids) this.stale.add(id);
    this.timer ??= setTimeout(() => {
      this.timer = null;
      const all = [...this.stale];
      this.stale.clear();
      const runs = all.length > 50 ? [] : all;
      for (const metric of this.metrics.keys()) this.load(metric, runs).catch(this.failed);
    }, 150);
  }

  forget(id: string): void {
    for (const curves of this.metrics.values()) curves.delete(id);
  }

  /** Lengthens curves by what came live; one that does not fit what is there is fetched again. */
  add(id: string, generation: number, added: Readonly<Record<string, AddedValues>>): void {
    for (const [metric, curves] of this.metrics) {
      const values = added[metric] as AddedValues | undefined;
      if (values === undefined) continue;
      const curve = curves.get(id) ?? { x: [], y: [], total: 0, generation, added: 0 };
      const known = curve.total - values.start;
      const isOrdered = curve.x.length === 0 || (values.x[known] ?? Infinity) >= curve.x[curve.x.length - 1];
      if (curve.generation !== generation || known < 0 || curve.added > mostAdded || !isOrdered) {
        this.reload([id]);
        continue;
      }
      for (let at = known; at < values.x.length; at++) {
        curve.x.push(values.x[at]);
        curve.y.push(values.y[at] ?? NaN);
        curve.total++;
        curve.added++;
      }
      curves.set(id, curve);
    }
    this.changed();
  }
}

const liveFrom = ({ x, y, total, generation }: FetchedCurve): LiveCurve => ({
  x: Array.from(x),
  y: Array.from(y),
  total,
  generation,
  added: 0,
});
