// The checkpoints in a directory: `step_N` folders, and which of them is the best.
import { fs, path } from "../node/index.js";
import {
  explainFailure,
  failureCode,
  foldersIn,
  parseAside,
  planRemoval,
  replaceFile,
  runNow,
  startOfFile,
} from "../files/index.js";
import { CheckpointError } from "./errors.js";
import { isOwnCheckpoint } from "./own.js";

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

function foldersOf(dir: string): string[] {
  try {
    return foldersIn(dir);
  } catch (error) {
    throw new CheckpointError(`cannot look for checkpoints in ${dir}: ${explainFailure(error)}`, {
      cause: error,
    });
  }
}

/** The step that a folder's name stands for, be it in place or moved aside; `null` for any other name. */
export function stepOfFolder(name: string): number | null {
  const aside = parseAside(name);
  return parseStepName(aside?.purpose === "old" ? aside.of : name);
}

/** The checkpoints of a directory, oldest step first; none if there is no such directory. */
export function listCheckpoints(dir: string): Checkpoint[] {
  const found = new Map<number, string>();
  for (const name of foldersOf(dir)) {
    // A process killed while replacing a checkpoint leaves the older one under a hidden name.
    const step = stepOfFolder(name);
    const isAside = name.startsWith(".");
    if (step !== null && (!isAside || !found.has(step))) found.set(step, path.join(dir, name));
  }
  return [...found].map(([step, at]) => ({ step, path: at })).sort((a, b) => a.step - b.step);
}

/** Removes checkpoints of a directory, each whole. What only has the name of one is left, and returned. */
export function removeCheckpoints(checkpoints: readonly Checkpoint[]): Checkpoint[] {
  return checkpoints.filter(({ path: folder }) => {
    if (!isOwnCheckpoint(folder)) return true;
    try {
      runNow(planRemoval(folder));
      return false;
    } catch (error) {
      throw new CheckpointError(`cannot remove ${folder}: ${explainFailure(error)}`, { cause: error });
    }
  });
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

/** The step that was marked as the best, whether it is there or not; `null` without a mark. */
export function markedStep(dir: string): number | null {
  const mark = path.join(dir, bestName);
  const kind = fs.lstatSync(mark, { throwIfNoEntry: false });
  if (kind?.isSymbolicLink() === true) return parseStepName(path.basename(fs.readlinkSync(mark)));
  return kind?.isFile() === true ? parseStepName(startOfFile(mark, 64).trim()) : null;
}

/** The checkpoint that was marked as the best; `null` without a mark, or if it is gone. */
export function bestCheckpoint(dir: string): Checkpoint | null {
  const step = markedStep(dir);
  return listCheckpoints(dir).find((checkpoint) => checkpoint.step === step) ?? null;
}

/** Steps for a message. */
export const showSteps = (steps: readonly number[]): string =>
  steps.length === 0 ? "none" : `step${steps.length > 1 ? "s" : ""} ${steps.join(", ")}`;
