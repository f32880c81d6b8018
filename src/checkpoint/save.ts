// Saving a tree as a checkpoint.
import { fs, path } from "../node/index.js";
import {
  explainFailure,
  jsonProblem,
  namesIn,
  planFolder,
  removeLeftovers,
  runNow,
  type NewFile,
  type Plan,
} from "../files/index.js";
import { encodeTree } from "./codec.js";
import { CheckpointError } from "./errors.js";
import { checkpointFiles } from "./manifest.js";
import { isOwnCheckpoint, strangerIn } from "./own.js";
import { checkStep, stepName } from "./steps.js";

export interface SaveOptions {
  /** The step, which names the folder `step_N`. Without it `dir` itself becomes the checkpoint. */
  readonly step?: number | null;
  /** What else to remember, as JSON: counters, the config, the best return so far. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Whether to drop the leading device axis of every array, keeping the first device's. Default false. */
  readonly unreplicate?: boolean;
}

/** A checkpoint that is ready to be written: a copy of everything, independent of the tree. */
export interface PreparedCheckpoint {
  readonly target: string;
  readonly files: readonly NewFile[];
}

/** Copies what is to be saved and refuses what cannot be. */
export function prepareCheckpoint(
  operation: string,
  dir: string,
  tree: unknown,
  {
    step = null,
    metadata = {},
    unreplicate = false,
    score = null,
  }: SaveOptions & { readonly score?: number | null },
): PreparedCheckpoint {
  if (step !== null) checkStep(operation, step);
  const problem = jsonProblem(metadata, "metadata");
  if (problem !== null) throw new CheckpointError(`${operation}: ${problem}`);
  const target = step === null ? path.resolve(dir) : path.join(path.resolve(dir), stepName(step));
  return {
    target,
    files: checkpointFiles(encodeTree(operation, tree, unreplicate), { step, metadata, score }),
  };
}

/** How to write a prepared checkpoint, after what a killed process left there is gone. */
export function planCheckpoint(operation: string, { target, files }: PreparedCheckpoint): Plan {
  removeLeftovers(path.dirname(target));
  const obstacle = obstacleAt(target);
  if (obstacle !== null) {
    throw new CheckpointError(
      `${operation}: ${target} is ${obstacle}, not a checkpoint, and is left as it is. ` +
        `Give \`step\` to save into a folder of its own, or choose another directory`,
    );
  }
  return planFolder(target, files);
}

/** What is where a checkpoint should go and must not be replaced, in words; `null` if there is nothing of the kind. */
export function obstacleAt(target: string): string | null {
  const kind = fs.lstatSync(target, { throwIfNoEntry: false });
  if (kind === undefined) return null;
  if (kind.isSymbolicLink()) return "a symbolic link";
  if (!kind.isDirectory()) return "a file";
  const [first] = namesIn(target);
  return first === undefined || isOwnCheckpoint(target)
    ? null
    : `a directory with other things (${strangerIn(target) ?? first})`;
}

/** A failure to write as an error that says where and why. */
export const writeError = (operation: string, target: string, error: unknown): Error =>
  error instanceof CheckpointError
    ? error
    : new CheckpointError(
        `${operation}: cannot write ${target}: ${explainFailure(error)}. What was there before is unchanged`,
        { cause: error },
      );

/**
 * Saves a tree of arrays, numbers and texts as `dir/step_N` and returns that path. The checkpoint appears whole or
 * not at all, even if the process is killed; one of the same step is replaced.
 */
export function saveCheckpoint(dir: string, tree: unknown, options: SaveOptions = {}): string {
  const operation = "saveCheckpoint";
  const prepared = prepareCheckpoint(operation, dir, tree, options);
  try {
    runNow(planCheckpoint(operation, prepared));
  } catch (error) {
    throw writeError(operation, prepared.target, error);
  }
  return prepared.target;
}
