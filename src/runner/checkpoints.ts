// A run's checkpoints: what the compiled program carries as arrays, what the host has gathered as plain data, and beside
// them the history, which grows.
import { path } from "../node/index.js";
import { fail } from "../array/index.js";
import {
  beginJournal,
  bestCheckpoint,
  CheckpointError,
  DamagedCheckpointError,
  findCheckpoint,
  initializeCheckpointDir,
  loadCheckpoint,
  markBest,
  obstacleAt,
  resumeJournal,
  stepName,
  type CheckpointManager,
  type Journal,
} from "../checkpoint/index.js";
import type { Action } from "../files/index.js";
import { changesSince, savedIdentity, type Change, type Identity } from "./changes.js";
import type { RunnerConfig } from "./config.js";
import { History, historyName, nothingYet, type Extent } from "./history.js";
import { readMetadata, type Best, type Metadata } from "./metadata.js";
import type { RunTraits, SavedRun } from "./runFiles.js";
import { warn } from "./warn.js";

/** The checkpoint that a run goes on from. */
export interface Restored<S> extends SavedRun<S> {
  readonly step: number;
  /** Steps between checkpoints when it was saved. */
  readonly interval: number;
  /** Whether the history is that of the run from its beginning. */
  readonly hasHistory: boolean;
}

/** What else is to be done on the disk with a checkpoint. */
export interface Companions {
  readonly before: readonly Action[];
  readonly after: readonly Action[];
}

/** The checkpoints of one run, in a directory that nobody else writes to. */
export class Checkpoints {
  private best: Best | null = null;
  /** Whether the best one is not marked yet: it may still be on its way to the disk. */
  private isUnmarked = false;
  /** The step that was saved or loaded last. */
  private lastStep: number | null = null;
  private journal: Journal;
  /** How much of the history is in the journal. */
  private written: Extent = nothingYet;
  /** What was changed each time that the run went on; the last time these. */
  allChanges: readonly Change[] = [];
  changes: readonly Change[] = [];
  /** What trains, and what has trained up to the checkpoint that the run goes on from. */
  private device: string | null = null;
  private deviceBefore: string | null = null;
  /** Why there is no checkpoint of the last step that should have one. */
  private problem: string | null = null;

  private constructor(
    private readonly manager: CheckpointManager,
    private readonly foundStep: number | null,
    private readonly traits: RunTraits,
    private readonly identity: Identity,
    private readonly interval: number,
  ) {
    this.journal = beginJournal(path.join(manager.directory, historyName));
  }

  static open(directory: string, config: RunnerConfig, traits: RunTraits): Checkpoints {
    const { resume, overwrite, maxCheckpoints, keepPeriod, checkpointInterval } = config;
    const options = { resume, overwrite, maxToKeep: maxCheckpoints, keepPeriod };
    const { manager, step } = initializeCheckpointDir(directory, options);
    const identity = savedIdentity(traits.identity, config);
    return new Checkpoints(manager, step, traits, identity, checkpointInterval ?? 0);
  }

  /** The newest checkpoint in words; `null` if there is none. */
  get newest(): string | null {
    return this.lastStep === null ? null : `that of step ${this.lastStep} in ${this.manager.directory}`;
  }

  /** The newest checkpoint, if the run is to go on from one. */
  latest<S>(like: S): Restored<S> | null {
    const { manager, foundStep: step, traits } = this;
    const found = step === null ? null : findCheckpoint(manager.directory, { step });
    if (step === null || found === null) return null;
    const metadata = readMetadata(found, traits.stepsPerUnit, (saved) => {
      this.changes = changesSince(saved, this.identity, step, found.path);
    });
    this.allChanges = [...metadata.changes, ...this.changes];
    const { gathered, checkpointInterval } = metadata;
    const history = this.readHistory(step, metadata);
    const state = loadCheckpoint(manager.directory, like, { step });
    this.best = metadata.best;
    this.lastStep = step;
    this.deviceBefore = metadata.device ?? "wasm";
    // A process may have been killed after it saved the best and before it marked it.
    this.isUnmarked = this.best !== null && bestCheckpoint(manager.directory)?.step !== this.best.step;
    return {
      ...{ step, state, gathered, interval: checkpointInterval },
      history: history ?? new History(traits.seeds),
      hasHistory: history !== null,
    };
  }

  /** Notes what trains. Another device than before rounds differently, so that it is a change. */
  useDevice(device: string): void {
    const { deviceBefore: from, lastStep: step } = this;
    this.device = device;
    if (from === null || step === null || from === device) return;
    const change = { step, setting: "device", from, to: device };
    this.changes = [...this.changes, change];
    this.allChanges = [...this.allChanges, change];
  }

  /** What the run had measured up to a checkpoint; `null`, with a warning, if that is gone. */
  private readHistory(step: number, { history: mark }: Metadata): History | null {
    const file = this.journal.path;
    try {
      const found = resumeJournal(file, mark);
      if (found === null) {
        warn(`${file} is gone, so the results of this run have only what it measures after step ${step}`);
        return null;
      }
      const history = new History(this.traits.seeds);
      if (!found.entries.every((entry) => history.addEntry(entry))) {
        throw new DamagedCheckpointError(`${file} has a line that is not of a history`);
      }
      this.journal = found.journal;
      this.written = history.extent;
      return history;
    } catch (error) {
      if (!(error instanceof DamagedCheckpointError)) throw error;
      fail(
        "resume",
        `${error.message}. Put back the file that belongs to step ${step}, or move it away: then the run goes on, ` +
          "and its results have only what it measures from there",
      );
    }
  }

  /** Whether an evaluation is as good as any before it. */
  isBest(evalReturn: number): boolean {
    return this.best === null || evalReturn >= this.best.evalReturn;
  }

  /** Saves in the background; `evalReturn` is that of an evaluation at this very step, if there was one. */
  async save(
    step: number,
    { state, gathered, history }: SavedRun<unknown>,
    evalReturn: number | null,
    { before, after }: Companions,
  ): Promise<void> {
    const { manager } = this;
    // One at a time: copies of the state must not pile up where the disk is slow.
    await manager.wait();
    this.mark();
    this.problem = this.obstacle(step);
    if (this.problem !== null) {
      warn(`${this.problem}; the run goes on without it`);
      return;
    }
    if (evalReturn !== null && this.isBest(evalReturn)) {
      this.best = { step, evalReturn };
      this.isUnmarked = true;
    }
    const growth = this.grow(history);
    const metadata: Metadata = {
      ...{ identity: this.identity, best: this.best, gathered, history: this.journal.mark },
      ...{ checkpointInterval: this.interval, changes: this.allChanges },
      ...(this.traits.spaces !== undefined && { spaces: this.traits.spaces }),
      ...(this.device !== null && { device: this.device }),
    };
    manager.save(step, state, {
      metadata: metadata as unknown as Record<string, unknown>,
      before: [{ kind: "makeFolder", path: manager.directory }, growth, ...before],
      after,
    });
    this.lastStep = step;
  }

  /** What keeps a checkpoint from its place: it is not worth ending a run for. */
  private obstacle(step: number): string | null {
    const target = path.join(this.manager.directory, stepName(step));
    const what = obstacleAt(target);
    return what === null
      ? null
      : `no checkpoint of step ${step} was saved, since ${target} is ${what} of somebody's`;
  }

  /** How to write what the history has got since the last checkpoint. */
  private grow(history: History): Action {
    if (!this.journal.isWhole) {
      // Somebody has removed it; we still know all of it.
      this.journal.restart();
      this.written = nothingYet;
    }
    const action = this.journal.append(history.entriesSince(this.written));
    this.written = history.extent;
    return action;
  }

  /** Marks the best checkpoint once it is on the disk. */
  private mark(): void {
    const { manager, best } = this;
    if (best === null || !this.isUnmarked || !manager.allSteps().includes(best.step)) return;
    markBest(manager.directory, best.step);
    this.isUnmarked = false;
  }

  /** Waits for what is being saved. Without a checkpoint of its last step a run is not safe. */
  async close(): Promise<void> {
    await this.manager.close();
    this.mark();
    if (this.problem !== null) throw new CheckpointError(`${this.problem}; move that away, then resume`);
  }
}
