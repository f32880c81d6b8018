// Runs that command lines name, and what they have on disk.
import path from "node:path";
import { bestCheckpoint, listCheckpoints, loadCheckpoint } from "../checkpoint/index.js";
import { configFrom, setUp, type Setup, type TrainConfig } from "../config/index.js";
import { RunDir } from "../runDir/index.js";
import { understood, UsageError } from "./arguments.js";

/** The run directory that a word names. */
export function openRun(run: string | undefined, baseDir = "runs"): RunDir {
  if (run === undefined) throw new UsageError("which run? Give its directory or its name; `runs` lists them");
  return understood(() => RunDir.open(run, { baseDir }));
}

/** What a run was trained with. */
export const configOf = (run: RunDir): TrainConfig =>
  understood(() => configFrom(run.loadConfig(), path.join(run.root, "config.json")));

/** Where a run has its checkpoints. */
export const checkpointsOf = (run: RunDir, { runner }: TrainConfig): string =>
  runner.checkpointDir ?? run.checkpoints;

/** A path as it reads from where we are. */
export const relative = (file: string): string => path.relative(process.cwd(), file) || ".";

export interface Restored extends Setup {
  readonly state: object;
  readonly step: number;
}

/** The agent of a run: of its best checkpoint, or of a step. */
export function restore(run: RunDir, config: TrainConfig, step: number | undefined): Restored {
  const folder = checkpointsOf(run, config);
  const all = listCheckpoints(folder);
  const chosen =
    step === undefined ? (bestCheckpoint(folder) ?? all.at(-1)) : all.find((one) => one.step === step);
  if (chosen === undefined) {
    const steps = all.map((checkpoint) => checkpoint.step).join(", ") || "none";
    const asked = step === undefined ? "no checkpoints" : `no checkpoint of step ${step}; it has ${steps}`;
    throw new UsageError(`${run.runId} has ${asked}`);
  }
  const setup = understood(() => setUp(config));
  const state = loadCheckpoint(folder, setup.trainer.start(), { step: chosen.step });
  return { ...setup, state, step: chosen.step };
}
