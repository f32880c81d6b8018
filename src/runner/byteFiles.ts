// A run's checkpoints as bytes, for programs that keep them elsewhere than on a disk, as pages do.
import { checkpointBytes, journalBytes, stepName } from "../checkpoint/index.js";
import type { RunnerConfig } from "./config.js";
import { savedIdentity } from "./changes.js";
import { historyName, nothingYet } from "./history.js";
import type { Best, Metadata } from "./metadata.js";
import type { RunFiles, RunTraits, SavedRun } from "./runFiles.js";

/** A checkpoint as the files that a directory of checkpoints has of it. */
export interface CheckpointFiles {
  readonly step: number;
  /** Their bytes, by their paths in the directory. */
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/** The files of a run that has none but its checkpoints, which are handed over. */
export class ByteFiles implements RunFiles {
  readonly hasCheckpoints = true;
  readonly changes = [];
  private best: Best | null = null;
  private lastStep: number | null = null;
  private device: string | null = null;

  constructor(
    private readonly config: RunnerConfig,
    private readonly traits: RunTraits,
    private readonly hand: (checkpoint: CheckpointFiles) => unknown,
  ) {}

  get newest(): string | null {
    return this.lastStep === null ? null : `that of step ${this.lastStep}, which onCheckpoint was given`;
  }

  isBest(evalReturn: number): boolean {
    return this.best === null || evalReturn >= this.best.evalReturn;
  }

  async save(
    step: number,
    { state, gathered, history }: SavedRun<unknown>,
    evalReturn: number | null,
  ): Promise<void> {
    if (evalReturn !== null && this.isBest(evalReturn)) this.best = { step, evalReturn };
    const { config, traits, best } = this;
    const journal = journalBytes(history.entriesSince(nothingYet));
    const metadata: Metadata = {
      ...{ identity: savedIdentity(traits.identity, config), best, gathered, history: journal.mark },
      ...{ checkpointInterval: config.checkpointInterval ?? 0, changes: [] },
      ...(traits.spaces !== undefined && { spaces: traits.spaces }),
      ...(this.device !== null && { device: this.device }),
    };
    const own = checkpointBytes(state, { step, metadata: metadata as unknown as Record<string, unknown> });
    const named = Object.entries(own).map(([name, bytes]) => [`${stepName(step)}/${name}`, bytes] as const);
    this.lastStep = step;
    await this.hand({ step, files: { ...Object.fromEntries(named), [historyName]: journal.bytes } });
  }

  restore(): null {
    return null;
  }

  useDevice(device: string): void {
    this.device = device;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  begin = (): void => undefined;
  log = (): void => undefined;
  ended = (): void => undefined;
}
