// A run's files on disk: its log and its checkpoints, in directories that it has for itself as long as it goes on.
import * as fs from "node:fs";
import path from "node:path";
import { listCheckpoints } from "../checkpoint/index.js";
import { explainFailure, LockError, removeLeftovers, takeLock, type Lock } from "../files/index.js";
import { MetricsLogger } from "../metrics/index.js";
import type { RunDir } from "../runDir/index.js";
import { Checkpoints, type Companions, type Restored } from "./checkpoints.js";
import type { RunnerConfig } from "./config.js";
import type { MetricsRecord } from "./gathered.js";
import { checkReach, noteCheckpoints } from "./reach.js";
import type { RunFiles, RunTraits, SavedRun } from "./runFiles.js";
import { warn } from "./warn.js";

export class DiskFiles implements RunFiles {
  readonly hasCheckpoints = true;
  private logger: MetricsLogger | null = null;
  private restored: Restored<unknown> | null = null;
  private isNoted = false;

  private constructor(
    private readonly directory: string,
    private readonly runDir: RunDir | null,
    private readonly config: RunnerConfig,
    private readonly traits: RunTraits,
    private readonly checkpoints: Checkpoints,
    private readonly locks: readonly Lock[],
  ) {}

  /** Refuses what cannot go on, then takes the directories and makes them ready. */
  static open(config: RunnerConfig, runDir: RunDir | null, traits: RunTraits): DiskFiles {
    const directory = path.resolve(config.checkpointDir ?? runDir?.checkpoints ?? "");
    if (config.resume && listCheckpoints(directory).length === 0) {
      const { stepsPerUnit } = traits;
      const interval = config.checkpointInterval;
      if (runDir !== null) checkReach(runDir, { newest: null, directory, interval, stepsPerUnit });
      warn(`${directory} has no checkpoint to go on from; the run begins at step 0`);
    }
    const locks = lockAll([directory, ...(runDir === null ? [] : [runDir.logs])]);
    try {
      // With the locks nobody else can be writing.
      const folders = runDir === null ? [] : [runDir.root, runDir.logs, runDir.videos, runDir.artifacts];
      for (const folder of [directory, ...folders]) removeLeftovers(folder, { isAlone: true });
      const checkpoints = Checkpoints.open(directory, config, traits);
      return new DiskFiles(directory, runDir, config, traits, checkpoints, locks);
    } catch (error) {
      for (const lock of locks) lock.release();
      throw error;
    }
  }

  get newest(): string | null {
    return this.checkpoints.newest;
  }

  restore<S>(like: S): SavedRun<S> | null {
    const restored = this.checkpoints.latest(like);
    this.restored = restored;
    if (restored === null || this.runDir === null) return restored;
    const { directory, config, traits } = this;
    checkReach(this.runDir, {
      newest: listCheckpoints(directory).at(-1)?.step ?? null,
      directory,
      interval: Math.max(config.checkpointInterval, restored.interval),
      stepsPerUnit: traits.stepsPerUnit,
    });
    return restored;
  }

  begin(): void {
    const { runDir, restored, config } = this;
    if (runDir === null) return;
    // What was logged after the checkpoint will be logged again; a run that begins anew keeps what is there.
    const isFresh = !config.resume && !config.overwrite;
    this.logger = MetricsLogger(runDir.logPath(), {
      keepThroughStep: isFresh ? null : (restored?.step ?? 0),
      expected: restored?.hasHistory === true ? restored.history.timedRecords() : null,
    });
  }

  log(record: MetricsRecord, wallTime: number): void {
    this.logger?.log({ ...record, wall_time: wallTime });
  }

  isBest(evalReturn: number): boolean {
    return this.checkpoints.isBest(evalReturn);
  }

  save(step: number, run: SavedRun<unknown>, evalReturn: number | null): Promise<void> {
    return this.checkpoints.save(step, run, evalReturn, this.companions());
  }

  /** With a checkpoint the log is flushed; after the first one it is noted where they are. */
  private companions(): Companions {
    const { runDir, directory } = this;
    if (runDir === null) return { before: [], after: [] };
    const after = this.isNoted ? [] : noteCheckpoints(runDir, directory);
    this.isNoted = true;
    return { before: [{ kind: "syncFile", path: runDir.logPath() }], after };
  }

  async close(): Promise<void> {
    try {
      await this.checkpoints.close();
    } finally {
      try {
        await this.logger?.close();
      } finally {
        for (const lock of this.locks) lock.release();
      }
    }
  }
}

/** Takes the locks of some folders, which are made if need be; none of them if one is taken. */
function lockAll(folders: readonly string[]): Lock[] {
  const locks: Lock[] = [];
  for (const folder of folders) {
    try {
      fs.mkdirSync(folder, { recursive: true });
      locks.push(takeLock(folder));
    } catch (error) {
      for (const lock of locks) lock.release();
      if (error instanceof LockError) throw error;
      throw new LockError(`cannot write to ${folder}: ${explainFailure(error)}`, { cause: error });
    }
  }
  return locks;
}
