// The checkpoints in a directory: `step_N` folders, and which of them is the best.
import { fs, path } from "../node/index.js";
import {
  explainFailure,
  failureCode,
  namesIn,
  parseAside,
  planRemoval,
  replaceFile,
  runNow,
} from "../files/index.js";
import { CheckpointError } from "./errors.js";

/** A checkpoint in a directory of checkpoints. */
export interface Checkpoint {
  readonly step: number;
  readonly path: string;
}

/** The name of a step's folder. */
export const stepName = (step: number): string => `step_${step}`;

/** The step of a folder's name; `null` if it is no such name. */
export function parseStepName(name: string): number | null {
  const digits = /^step_(0|[1-9]\d*)$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Refuses what is not a step. */
export function checkStep(operation: string, step: unknown): asserts step is number {
  if (!Number.isSafeInteger(step) || (step as number) < 0) {
    throw new CheckpointError(`${operation}: step must be a whole number of at least 0, got ${String(step)}`);
  }
}

/** The checkpoints of a directory, oldest step first; none if there is no such directory. */
export function listCheckpoints(dir: string): Checkpoint[] {
  const found = new Map<number, string>();
  for (const name of namesIn(dir)) {
    const aside = parseAside(name);
    // A process killed while replacing a checkpoint leaves the older one under a hidden name.
    const step = parseStepName(aside?.purpose === "old" ? aside.of : name);
    if (step !== null && (aside === null || !found.has(step))) found.set(step, path.join(dir, name));
  }
  return [...found]
    .map(([step, at]) => ({ step, path: at }))
    .filter((checkpoint) => fs.statSync(checkpoint.path, { throwIfNoEntry: false })?.isDirectory() === true)
    .sort((a, b) => a.step - b.step);
}

/** Removes checkpoints of a directory, each whole. */
export function removeCheckpoints(checkpoints: readonly Checkpoint[]): void {
  for (const { path: folder } of checkpoints) {
    try {
      runNow(planRemoval(folder));
    } catch (error) {
      throw new CheckpointError(`cannot remove ${folder}: ${explainFailure(error)}`, { cause: error });
    }
  }
}

/** The name of the mark on the best checkpoint. */
export const bestName = "best";

/**
 * Marks a step as the best: a symbolic link `best` that changes all at once. Where links are not allowed, as often
 * on Windows, `best` is a small file with the folder's name.
 */
export function markBest(dir: string, step: number): void {
  checkStep("markBest", step);
  const target = stepName(step);
  if (!fs.existsSync(path.join(dir, target))) {
    const steps = listCheckpoints(dir).map((checkpoint) => checkpoint.step);
    throw new CheckpointError(
      `markBest: ${dir} has no checkpoint of step ${step}; it has ${showSteps(steps)}`,
    );
  }
  const mark = path.join(dir, bestName);
  if (fs.lstatSync(mark, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new CheckpointError(`markBest: ${mark} is a directory of somebody else's; move it away`);
  }
  try {
    const link = path.join(dir, `.${bestName}.tmp-${process.pid}-0`);
    fs.rmSync(link, { force: true });
    try {
      fs.symlinkSync(target, link, "dir");
    } catch (error) {
      if (!["EPERM", "ENOSYS", "ENOTSUP", "EINVAL"].includes(failureCode(error) ?? "")) throw error;
      replaceFile(mark, `${target}\n`);
      return;
    }
    fs.renameSync(link, mark);
  } catch (error) {
    throw new CheckpointError(`markBest: cannot write ${mark}: ${explainFailure(error)}`, { cause: error });
  }
}

/** The checkpoint that was marked as the best; `null` without a mark, or if it is gone. */
export function bestCheckpoint(dir: string): Checkpoint | null {
  const mark = path.join(dir, bestName);
  const kind = fs.lstatSync(mark, { throwIfNoEntry: false });
  if (kind === undefined || kind.isDirectory()) return null;
  const name = kind.isSymbolicLink()
    ? path.basename(fs.readlinkSync(mark))
    : fs.readFileSync(mark, "utf8").trim();
  const step = parseStepName(name);
  return listCheckpoints(dir).find((checkpoint) => checkpoint.step === step) ?? null;
}

/** Steps for a message. */
export const showSteps = (steps: readonly number[]): string =>
  steps.length === 0 ? "none" : `step${steps.length > 1 ? "s" : ""} ${steps.join(", ")}`;
