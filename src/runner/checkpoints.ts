// A run's checkpoints: what the compiled program carries as arrays, what the host has gathered as plain data.
import { fail } from "../array/index.js";
import type * as CheckpointFiles from "../checkpoint/index.js";
import type { RunnerConfig } from "./config.js";
import type { Gathered } from "./gathered.js";

/** What a run can be told apart by: a checkpoint of another run is refused. */
export type Identity = Readonly<Record<string, unknown>>;

/** The evaluation that was the best so far. */
interface Best {
  readonly step: number;
  readonly evalReturn: number;
}

/** What a checkpoint says besides its arrays. */
interface Metadata {
  readonly identity: Identity;
  readonly best: Best | null;
  readonly gathered: Gathered;
}

/** A checkpoint as it is found. */
export interface SavedRun<S> {
  readonly state: S;
  readonly gathered: Gathered;
}

/** The checkpoints of one run; without a directory, none. Files are touched only then, so that browsers can train. */
export class Checkpoints {
  private best: Best | null = null;
  /** Whether the best one is not marked yet: it may still be on its way to the disk. */
  private isUnmarked = false;
  /** The step that was saved or loaded last. */
  private lastStep: number | null = null;

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

  /** The newest checkpoint in words; `null` if there is none. */
  get newest(): string | null {
    const { manager, lastStep } = this;
    return manager === null || lastStep === null ? null : `that of step ${lastStep} in ${manager.directory}`;
  }

  /** The newest checkpoint, if the run is to go on from one. */
  latest<S>(like: S): SavedRun<S> | null {
    const { files, manager, isResuming } = this;
    if (files === null || manager === null || !isResuming) return null;
    const found = files.findCheckpoint(manager.directory);
    if (found === null) return null;
    const { identity, best, gathered } = found.metadata as unknown as Partial<Metadata>;
    if (identity === undefined || best === undefined || gathered === undefined) {
      fail("resume", `${found.path} is no checkpoint of a training run; choose another directory`);
    }
    checkIdentity(identity, this.identity, found.path);
    const state = files.loadCheckpoint(manager.directory, like, { step: found.step });
    this.best = best;
    this.lastStep = found.step;
    // A process may have been killed after it saved the best and before it marked it.
    this.isUnmarked = best !== null && files.bestCheckpoint(manager.directory)?.step !== best.step;
    return { gathered, state };
  }

  /** Whether an evaluation is as good as any before it. */
  isBest(evalReturn: number): boolean {
    return this.best === null || evalReturn >= this.best.evalReturn;
  }

  /** Saves in the background; `evalReturn` is that of an evaluation at this very step, if there was one. */
  async save(step: number, { state, gathered }: SavedRun<unknown>, evalReturn: number | null): Promise<void> {
    const { manager } = this;
    if (manager === null) return;
    // One at a time: copies of the state must not pile up where the disk is slow.
    await manager.wait();
    this.mark();
    if (evalReturn !== null && this.isBest(evalReturn)) {
      this.best = { step, evalReturn };
      this.isUnmarked = true;
    }
    const metadata: Metadata = { identity: this.identity, best: this.best, gathered };
    manager.save(step, state, { metadata: metadata as unknown as Record<string, unknown> });
    this.lastStep = step;
  }

  /** Marks the best checkpoint once it is on the disk. */
  private mark(): void {
    const { files, manager, best } = this;
    if (files === null || manager === null || best === null || !this.isUnmarked) return;
    if (!manager.allSteps().includes(best.step)) return;
    files.markBest(manager.directory, best.step);
    this.isUnmarked = false;
  }

  async close(): Promise<void> {
    await this.manager?.close();
    this.mark();
  }
}

/** The values of a nested object by their paths: `config.lr`. */
function flatten(value: unknown, path: string): [path: string, value: unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, part]) =>
    flatten(part, path === "" ? name : `${path}.${name}`),
  );
}

/** Refuses a checkpoint that was made by another kind of run, naming the first field that differs. */
function checkIdentity(saved: Identity, ours: Identity, path: string): void {
  const [theirs, mine] = [saved, ours].map((identity) => new Map(flatten(identity, "")));
  for (const name of new Set([...mine.keys(), ...theirs.keys()])) {
    const [before, now] = [theirs, mine].map((values) => JSON.stringify(values.get(name)) ?? "nothing");
    if (before === now) continue;
    fail(
      "resume",
      `the checkpoint ${path} was made with ${name} = ${before}, this run has ${now}; ` +
        "give the same, or choose another directory",
    );
  }
}
