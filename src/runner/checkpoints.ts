// A run's checkpoints: what the compiled program carries as arrays, what the host has gathered as plain data.
import { fail } from "../array/index.js";
import type * as CheckpointFiles from "../checkpoint/index.js";
import type { RunnerConfig } from "./config.js";
import type { Gathered } from "./loop.js";

/** What a run can be told apart by: a checkpoint of another run is refused. */
export type Identity = Readonly<Record<string, unknown>>;

/** A checkpoint as it is found. */
export interface SavedRun<S> extends Gathered {
  readonly state: S;
}

/** The checkpoints of one run; without a directory, none. Files are touched only then, so that browsers can train. */
export class Checkpoints {
  /** The best step that is not marked yet: it may still be on its way to the disk. */
  private waiting: number | null = null;
  private best = -Infinity;

  private constructor(
    private readonly files: typeof CheckpointFiles | null,
    private readonly manager: CheckpointFiles.CheckpointManager | null,
    private readonly isResuming: boolean,
    private readonly identity: Identity,
  ) {}

  static async open(config: RunnerConfig, identity: Identity): Promise<Checkpoints> {
    const { checkpointDir, resume, overwrite, maxCheckpoints, keepPeriod } = config;
    if (checkpointDir === null) return new Checkpoints(null, null, false, identity);
    const files = await import("../checkpoint/index.js");
    const options = { resume, overwrite, maxToKeep: maxCheckpoints, keepPeriod };
    const { manager, resuming } = files.initializeCheckpointDir(checkpointDir, options);
    return new Checkpoints(files, manager, resuming, identity);
  }

  get isOn(): boolean {
    return this.manager !== null;
  }

  /** The newest checkpoint, if the run is to go on from one. */
  latest<S>(like: S): SavedRun<S> | null {
    const { files, manager, isResuming } = this;
    if (files === null || manager === null || !isResuming) return null;
    const found = files.findCheckpoint(manager.directory);
    if (found === null) return null;
    const { identity, best, ...gathered } = found.metadata as unknown as Gathered & {
      readonly identity: Identity;
      readonly best: number | null;
    };
    checkIdentity(identity, this.identity, found.path);
    this.best = best ?? -Infinity;
    const state = files.loadCheckpoint(manager.directory, like, { step: found.step });
    return { ...gathered, state };
  }

  save(step: number, { state, ...gathered }: SavedRun<unknown>, evalReturn: number | null): void {
    const { manager } = this;
    if (manager === null) return;
    this.mark();
    const isBest = evalReturn !== null && evalReturn >= this.best;
    if (isBest) this.best = evalReturn;
    const best = Number.isFinite(this.best) ? this.best : null;
    manager.save(step, state, { metadata: { identity: this.identity, best, ...gathered } });
    if (isBest) this.waiting = step;
  }

  /** Marks the best checkpoint once it is on the disk. */
  private mark(): void {
    const { files, manager, waiting } = this;
    if (files === null || manager === null || waiting === null) return;
    if (!manager.allSteps().includes(waiting)) return;
    files.markBest(manager.directory, waiting);
    this.waiting = null;
  }

  async close(): Promise<void> {
    await this.manager?.close();
    this.mark();
  }
}

/** Refuses a checkpoint that was made by another kind of run, naming the first field that differs. */
function checkIdentity(saved: Identity, ours: Identity, path: string): void {
  for (const name of new Set([...Object.keys(ours), ...Object.keys(saved)])) {
    const [theirs, mine] = [saved[name], ours[name]].map((value) => JSON.stringify(value));
    if (theirs === mine) continue;
    fail(
      "resume",
      `the checkpoint ${path} was made with ${name} = ${theirs ?? "nothing"}, this run has ${mine ?? "nothing"}; ` +
        "give the same, or choose another directory",
    );
  }
}
