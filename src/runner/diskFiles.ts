// A run's files on disk: its log and its checkpoints, in directories that it has for itself as long as it goes on.
import { fs, path } from "../node/index.js";
import { listCheckpoints } from "../checkpoint/index.js";
import {
  explainFailure,
  forgetOutcome,
  LockError,
  noteOutcome,
  removeLeftovers,
  takeLock,
  type Lock,
  type Outcome,
} from "../files/index.js";
import { MetricsLogger } from "../metrics/index.js";
import type { RunDir } from "../runDir/index.js";
import { Checkpoints, type Companions, type Restored } from "./checkpoints.js";
import type { RunnerConfig } from "./config.js";
import type { Change } from "./changes.js";
import type { LoggedRecord } from "./gathered.js";
import { checkReach, noteCheckpoints } from "./reach.js";
import type { RunFiles, RunTraits, SavedRun } from "./runFiles.js";
import { saveRunConfig } from "./savedConfig.js";
import { warn } from "./warn.js";

export class DiskFiles implements RunFiles {
  private logger: MetricsLogger | null = null;
  private restored: Restored<unknown> | null = null;
  private isNoted = false;
  private device: string | null = null;

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
    if (config.resume && runDir !== null && listCheckpoints(directory).length === 0) {
      const { stepsPerUnit } = traits;
      checkReach(runDir, { newest: null, directory, interval: config.checkpointInterval ?? 1, stepsPerUnit });
    }
    const locks = lockAll([directory, ...(runDir === null ? [] : [runDir.logs])]);
    try {
      const checkpoints = Checkpoints.open(directory, config, traits);
      return new DiskFiles(directory, runDir, config, traits, checkpoints, locks);
    } catch (error) {
      for (const lock of locks) lock.release();
      throw error;
    }
  }

  get hasCheckpoints(): boolean {
    return this.config.checkpointInterval !== null;
  }

  get changes(): readonly Change[] {
    return this.checkpoints.changes;
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
      interval: Math.max(config.checkpointInterval ?? 1, restored.interval),
      stepsPerUnit: traits.stepsPerUnit,
    });
    return restored;
  }

  useDevice(device: string): void {
    this.device = device;
    this.checkpoints.useDevice(device);
  }

  begin(): void {
    const { runDir, restored, config, directory } = this;
    if (config.resume && restored === null) {
      warn(`${directory} has no checkpoint to go on from; the run begins at step 0`);
    }
    clearLeftovers([directory]);
    if (runDir === null) return;
    clearLeftovers([runDir.root, runDir.logs, runDir.videos, runDir.artifacts]);
    saveRunConfig(runDir, config, this.traits, this.checkpoints.allChanges, this.device);
    // What was logged after the checkpoint will be logged again; a run that begins anew keeps what is there.
    const isFresh = !config.resume && !config.overwrite;
    this.logger = MetricsLogger(runDir.logPath(), {
      keepThroughStep: isFresh ? null : (restored?.step ?? 0),
      expected: restored?.hasHistory === true ? restored.history.timedRecords() : null,
    });
    forgetOutcome(runDir.logs);
  }

  log(record: LoggedRecord, wallTime: number): void {
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

  ended(outcome: Outcome): void {
    if (this.runDir === null || this.logger === null) return;
    try {
      noteOutcome(this.runDir.logs, outcome);
    } catch (error) {
      // The run itself is safe without the note.
      warn(`how the run ended was not noted: ${explainFailure(error)}`);
    }
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

/** Clears away what killed processes have left: with the locks nobody else can be writing. */
function clearLeftovers(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      removeLeftovers(folder, { isAlone: true });
    } catch {
      // Whoever needs the folder says what is wrong with it.
      continue;
    }
  }
}

/** A lock on a folder, which is made if need be; released, it leaves no folder that was made for nothing. */
function lockOn(folder: string): Lock {
  let isNew = false;
  const removeNew = (): void => {
    try {
      if (isNew) fs.rmdirSync(folder);
    } catch {
      // It has something in it by now.
    }
  };
  try {
    isNew = fs.mkdirSync(folder, { recursive: true }) !== undefined;
    const lock = takeLock(folder);
    return {
      release: () => {
        lock.release();
        removeNew();
      },
    };
  } catch (error) {
    removeNew();
    if (error instanceof LockError) throw error;
    throw new LockError(`cannot write to ${folder}: ${explainFailure(error)}`, { cause: error });
  }
}

/** The locks of some folders; none of them if one is taken. */
function lockAll(folders: readonly string[]): Lock[] {
  const locks: Lock[] = [];
  try {
    for (const folder of folders) locks.push(lockOn(folder));
    return locks;
  } catch (error) {
    for (const lock of locks) lock.release();
    throw error;
  }
}
