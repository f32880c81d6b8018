// One run as the dashboard knows it: its config, its numbers so far, how it stands, and what else it has on disk.
import { bestCheckpoint, listCheckpoints } from "../checkpoint/index.js";
import { namesIn } from "../files/index.js";
import { fs, path } from "../node/index.js";
import { MetricsTable, type Curve } from "./columns.js";
import { isPlainName, type Fence } from "./fence.js";
import { readRunConfig, type RunConfig } from "./runConfig.js";
import { standingOf, type Standing } from "./status.js";
import { Tail } from "./tail.js";
import { thin } from "./thin.js";
import type { RunSummary } from "./types.js";

/** Files that the page can show. */
const videoTypes = /\.(gif|mp4|webm|png)$/i;

export interface SavedStep {
  readonly step: number;
  readonly isBest: boolean;
  /** When it was saved, in milliseconds. */
  readonly time: number;
}

/** What a look at a run's files has brought. */
export interface News {
  /** Whether its numbers begin anew. */
  readonly isRewritten: boolean;
  /** How many values each metric had before. */
  readonly before: ReadonlyMap<string, number>;
  readonly added: number;
  readonly hasMore: boolean;
}

export class DashboardRun {
  table = new MetricsTable();
  /** Counts how often the numbers began anew. */
  generation = 0;
  config: RunConfig;
  private standing: Standing = { status: "empty", message: null };
  private readonly tail: Tail;
  private isLoaded = false;
  private readonly overviews = new Map<
    string,
    { readonly buckets: number; readonly length: number; readonly table: MetricsTable; readonly curve: Curve }
  >();

  constructor(
    readonly id: string,
    private readonly fence: Fence,
  ) {
    this.config = readRunConfig(fence.inside(id, "config.json"));
    this.tail = new Tail(path.join(fence.base, id, "logs", "metrics.jsonl"));
    this.refreshStanding();
  }

  get isRunning(): boolean {
    return this.standing.status === "running";
  }

  /** Reads the config again. */
  refreshConfig(): void {
    this.config = readRunConfig(this.fence.inside(this.id, "config.json"));
  }

  /** Looks whether it still goes on. */
  refreshStanding(): void {
    const logs = this.fence.inside(this.id, "logs");
    if (logs === null) {
      this.standing = { status: "empty", message: "it has no logs inside the directory of all runs" };
      return;
    }
    const { total, unit } = this.config;
    const { count, steps } = this.table;
    this.standing = standingOf(logs, { step: count === 0 ? null : steps.at(-1), total, unit });
  }

  /** Reads what was logged since the last time, as far as one look reaches. */
  readOn(): News {
    const before = new Map(this.table.names.map((name) => [name, this.table.lengthOf(name)]));
    const chunk = this.fence.inside(this.id, "logs", "metrics.jsonl") === null ? null : this.tail.read();
    if (chunk === null) {
      this.isLoaded = true;
      return { isRewritten: false, before, added: 0, hasMore: false };
    }
    if (chunk.isNew) {
      this.table = new MetricsTable();
      this.generation++;
      before.clear();
    }
    const count = this.table.count;
    for (const line of chunk.lines) this.table.add(line);
    if (!chunk.hasMore) this.isLoaded = true;
    return {
      isRewritten: chunk.isNew,
      before,
      added: this.table.count - count,
      hasMore: chunk.hasMore,
    };
  }

  /** A metric's curve for an overview, kept as long as no value is added. */
  overview(metric: string, buckets: number): Curve {
    const length = this.table.lengthOf(metric);
    const kept = this.overviews.get(metric);
    if (kept?.buckets === buckets && kept.length === length && kept.table === this.table) return kept.curve;
    const curve = thin(this.table.curve(metric), buckets);
    // Short curves are views of the table and cost nothing.
    if (curve.x.length < length) this.overviews.set(metric, { buckets, length, table: this.table, curve });
    return curve;
  }

  get summary(): RunSummary {
    const { id, config, table, standing, generation, isLoaded } = this;
    const { env, algo, seed, seeds, total, group } = config;
    const evaluated = table.best("eval_return");
    const time = table.count === 0 ? NaN : table.times.at(-1);
    return {
      ...{ id, env, algo, seed, seeds, total, group, generation, isLoaded },
      name: id.replace(/_\d{8}_\d{6}(_\d+)?$/, ""),
      began: beganAt(id),
      status: standing.status,
      message: standing.message,
      step: table.count === 0 ? null : table.steps.at(-1),
      records: table.count,
      speed: table.speed(),
      lastReturn: table.last("episode_return") ?? table.last("eval_return"),
      bestReturn: evaluated ?? table.best("episode_return"),
      isBestEvaluated: evaluated !== null,
      time: Number.isNaN(time) ? null : time,
      metrics: table.names,
    };
  }

  /** Where its checkpoints are; null if that is outside of the directory of all runs. */
  get checkpointFolder(): string | null {
    const own = this.fence.inside(this.id, "checkpoints");
    if (own !== null && listCheckpoints(own).length > 0) return own;
    const noted = this.fence.inside(this.id, "logs", "checkpoint_dir.txt");
    if (noted === null) return own;
    const where = fs.readFileSync(noted, "utf8").trim();
    if (where === "" || where.includes("\0")) return own;
    const root = path.join(this.fence.base, this.id);
    return this.fence.inside(path.relative(this.fence.base, path.resolve(root, where)));
  }

  get checkpoints(): SavedStep[] {
    const folder = this.checkpointFolder;
    if (folder === null) return [];
    const best = bestCheckpoint(folder)?.step;
    return listCheckpoints(folder).flatMap(({ step, path: at }) => {
      const time = fs.statSync(path.join(at, "checkpoint.json"), { throwIfNoEntry: false })?.mtimeMs;
      return time === undefined ? [] : [{ step, isBest: step === best, time }];
    });
  }

  get videos(): string[] {
    const folder = this.fence.inside(this.id, "videos");
    if (folder === null) return [];
    return namesIn(folder).filter((name) => videoTypes.test(name) && this.videoFile(name) !== null);
  }

  /** The real file of a video; null for any other name. */
  videoFile(name: string): string | null {
    if (!isPlainName(name) || !videoTypes.test(name)) return null;
    const file = this.fence.inside(this.id, "videos", name);
    return file !== null && fs.statSync(file).isFile() ? file : null;
  }
}

/** When a run began, from its name: local time, in seconds; null for names without one. */
function beganAt(id: string): number | null {
  const match = /_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)(?:_\d+)?$/.exec(id);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number);
  return new Date(year, month - 1, day, hour, minute, second).getTime() / 1000;
}
