// What a run has on disk: none of it, as in a browser, or metrics and checkpoints.
import { fail } from "../array/index.js";
import type { Outcome } from "../files/index.js";
import type { RunDir } from "../runDir/index.js";
import type { CheckpointFiles } from "./byteFiles.js";
import type { RunnerConfig } from "./config.js";
import type { Gathered, LoggedRecord } from "./gathered.js";
import type { History } from "./history.js";
import type { Change, Identity } from "./changes.js";
import type { Origin, SpacesData } from "./setting.js";

/** A run at a checkpoint. */
export interface SavedRun<S> {
  readonly state: S;
  readonly gathered: Gathered;
  readonly history: History;
}

/** What the files are told about their run. */
export interface RunTraits {
  /** What a checkpoint must have in common with this run. */
  readonly identity: Identity;
  /** The algorithm's config as it was given, where the run's own counts for all devices together. */
  readonly givenConfig?: object | undefined;
  /** How the environment can be made again; `null` if only the program that trains has it. */
  readonly origin: Origin | null;
  /** What its environment says of actions and observations, for those who load the policy alone. */
  readonly spaces?: SpacesData;
  /** Environment steps of one unit of work. */
  readonly stepsPerUnit: number;
  /** How many seeds run side by side; `null`: one run. */
  readonly seeds: number | null;
}

export interface RunFiles {
  readonly hasCheckpoints: boolean;
  /** The newest checkpoint in words; `null` if there is none. */
  readonly newest: string | null;
  /** What was changed since the checkpoint that the run goes on from. */
  readonly changes: readonly Change[];
  /** The checkpoint to go on from, if there is one. */
  restore<S>(like: S): SavedRun<S> | null;
  /** Notes which device trains from here on, and that it is another one if it is. */
  useDevice(device: string): void;
  /** Makes the log ready, now that the run is known to begin. */
  begin(): void;
  log(record: LoggedRecord, wallTime: number): void;
  /** Whether an evaluation is as good as any before it. */
  isBest(evalReturn: number): boolean;
  /** Saves in the background; `evalReturn` is that of an evaluation at this very step, if there was one. */
  save(step: number, run: SavedRun<unknown>, evalReturn: number | null): Promise<void>;
  /** Notes how a run that has begun ended. */
  ended(outcome: Outcome): void;
  /** Waits until everything is written, and lets others write. */
  close(): Promise<void>;
}

const none: RunFiles = {
  hasCheckpoints: false,
  newest: null,
  changes: [],
  restore: () => null,
  useDevice: () => undefined,
  begin: () => undefined,
  log: () => undefined,
  isBest: () => false,
  save: () => Promise.resolve(),
  ended: () => undefined,
  close: () => Promise.resolve(),
};

/** The files of a run. What touches a disk is loaded only where there is something to write, so that browsers can train. */
export async function openFiles(
  operation: string,
  config: RunnerConfig,
  runDir: RunDir | null | undefined,
  traits: RunTraits,
  onCheckpoint: ((checkpoint: CheckpointFiles) => unknown) | null = null,
): Promise<RunFiles> {
  if (config.checkpointDir === null && (runDir ?? null) === null) {
    if (onCheckpoint === null) return none;
    const { ByteFiles } = await import("./byteFiles.js");
    return new ByteFiles(config, traits, onCheckpoint);
  }
  if (onCheckpoint !== null) {
    fail(operation, "onCheckpoint is for runs without a directory; this one saves its checkpoints there");
  }
  const { DiskFiles } = await import("./diskFiles.js");
  return DiskFiles.open(config, runDir ?? null, traits);
}
