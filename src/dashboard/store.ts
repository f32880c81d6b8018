// All runs of a directory, kept up to date while they train.
import { foldersIn } from "../files/index.js";
import { fs, path } from "../node/index.js";
import { EventHub } from "./events.js";
import type { Fence } from "./fence.js";
import { DashboardRun, type News } from "./run.js";
import type { AddedValues } from "./types.js";
import { FolderWatches } from "./watch.js";

/** Changes that come close together are read at once. */
const gatherMs = 100;
/** How often is looked whether processes live, without having been told. */
const lookMs = 2_000;
/** After so many of these looks all runs are looked at, for what watching has missed. */
const looksForAll = 5;
/** More new records than these are not told one by one. */
const mostTold = 500;

const parts = ["", "logs", "checkpoints", "videos"] as const;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class RunStore {
  readonly runs = new Map<string, DashboardRun>();
  readonly events = new EventHub();
  private readonly watches = new FolderWatches();
  private readonly dirty = new Set<string>();
  private readonly stamps = new Map<string, string>();
  private readonly told = new Map<string, string>();
  private work: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | null = null;
  private readonly look: NodeJS.Timeout;
  private isClosed = false;

  constructor(private readonly fence: Fence) {
    this.watches.add(fence.base, () => this.plan());
    let looks = 0;
    this.look = setInterval(() => {
      const isForAll = ++looks % looksForAll === 0;
      for (const [id, run] of this.runs) if (isForAll || run.isRunning) this.dirty.add(id);
      this.plan();
    }, lookMs);
    this.look.unref();
    this.plan(0);
  }

  /** Reads all that has changed, soon. */
  private plan(afterMs = gatherMs): void {
    if (this.timer !== null || this.isClosed) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.work = this.work.then(() => this.refresh());
    }, afterMs);
    this.timer.unref();
  }

  /** Waits until everything that is known to have changed is read. */
  async settled(): Promise<void> {
    this.plan(0);
    while (this.timer !== null) await nextTurn();
    await this.work;
  }

  private async refresh(): Promise<void> {
    this.findRuns();
    // The newest runs first: they are what people look for.
    const ids = [...this.dirty].sort((a, b) => (timeIn(a) < timeIn(b) ? 1 : -1));
    this.dirty.clear();
    for (const id of ids) {
      const run = this.runs.get(id);
      if (run === undefined || this.isClosed) continue;
      await this.refreshRun(run);
    }
  }

  /** Runs that have come, and those that are gone. */
  private findRuns(): void {
    const here = new Set(this.foldersOfRuns());
    const gone = [...this.runs.keys()].filter((id) => !here.has(id));
    for (const id of gone) {
      this.runs.delete(id);
      this.told.delete(id);
      for (const part of parts) this.watches.remove(path.join(this.fence.base, id, part));
    }
    if (gone.length > 0) this.events.publish({ kind: "gone", ids: gone });
    for (const id of here) {
      if (this.runs.has(id)) continue;
      this.runs.set(id, new DashboardRun(id, this.fence));
      this.dirty.add(id);
    }
  }

  private foldersOfRuns(): string[] {
    let names: string[];
    try {
      names = foldersIn(this.fence.base);
    } catch {
      return [];
    }
    return names.filter((id) => {
      const root = id.startsWith(".") ? null : this.fence.inside(id);
      return root !== null && ["config.json", "logs"].some((name) => fs.existsSync(path.join(root, name)));
    });
  }

  private watch(run: DashboardRun): void {
    for (const part of parts) {
      const folder = this.fence.inside(run.id, part);
      if (folder === null) continue;
      this.watches.add(path.join(this.fence.base, run.id, part), () => {
        this.dirty.add(run.id);
        this.plan();
      });
    }
  }

  private async refreshRun(run: DashboardRun): Promise<void> {
    this.watch(run);
    let news: News;
    const before = new Map(run.table.names.map((name) => [name, run.table.lengthOf(name)]));
    let [added, isRewritten] = [0, false];
    do {
      news = run.readOn();
      added += news.added;
      isRewritten ||= news.isRewritten;
      if (news.hasMore) await nextTurn();
    } while (news.hasMore && !this.isClosed);
    if (this.hasChanged(run, "config.json")) run.refreshConfig();
    run.refreshStanding();
    if (isRewritten || added > mostTold) this.events.publish({ kind: "reload", ids: [run.id] });
    else if (added > 0) this.tellPoints(run, before);
    const isOther = ["checkpoints", "videos", "config.json"].filter((name) =>
      this.hasChanged(run, `${name} `),
    );
    this.tellSummary(run);
    if (isOther.length > 0) this.events.publish({ kind: "files", id: run.id });
  }

  /** Whether a file or folder of a run has another time than when this was asked last. */
  private hasChanged(run: DashboardRun, name: string): boolean {
    const file = path.join(this.fence.base, run.id, name.trim());
    const stamp = String(fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs);
    const key = `${run.id}/${name}`;
    const isOther = this.stamps.get(key) !== stamp;
    this.stamps.set(key, stamp);
    return isOther;
  }

  private tellSummary(run: DashboardRun): void {
    const { summary } = run;
    const text = JSON.stringify(summary);
    if (this.told.get(run.id) === text) return;
    this.told.set(run.id, text);
    this.events.publish({ kind: "runs", runs: [summary] });
  }

  private tellPoints(run: DashboardRun, before: ReadonlyMap<string, number>): void {
    const { table, id, generation } = run;
    const metrics: Record<string, AddedValues> = {};
    for (const name of table.names) {
      const start = before.get(name) ?? 0;
      if (table.lengthOf(name) === start) continue;
      const { x, y } = table.logged(name, start);
      metrics[name] = {
        start,
        x: [...x],
        y: Array.from(y, (value) => (Number.isFinite(value) ? value : null)),
      };
    }
    this.events.publish({ kind: "points", id, generation, metrics });
  }

  /** Looks at a run again at once. */
  async refreshNow(id: string): Promise<void> {
    this.dirty.add(id);
    await this.settled();
  }

  close(): void {
    this.isClosed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    clearInterval(this.look);
    this.watches.close();
    this.events.close();
  }
}

/** What a run's name says about when it began, as text that sorts. */
const timeIn = (id: string): string => /_(\d{8}_\d{6})(?:_\d+)?$/.exec(id)?.[1] ?? "";
