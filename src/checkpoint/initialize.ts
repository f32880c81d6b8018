// How a run meets the checkpoints that are there already.
import { fs, path } from "../node/index.js";
import { explainFailure, removeLeftovers } from "../files/index.js";
import { CheckpointError } from "./errors.js";
import { findCheckpoint, warn } from "./load.js";
import { CheckpointManager, type CheckpointManagerOptions } from "./manager.js";
import { holdsCheckpoint, strangerIn } from "./own.js";
import { bestName, listCheckpoints, removeCheckpoints, showSteps, type Checkpoint } from "./steps.js";

export interface InitializeOptions extends Omit<CheckpointManagerOptions, "startStep"> {
  /** Whether to go on from the newest checkpoint that is whole. Default false. */
  readonly resume?: boolean;
  /** Whether to remove the checkpoints that are there. Default false. */
  readonly overwrite?: boolean;
}

export interface InitializedCheckpoints {
  readonly manager: CheckpointManager;
  /** Whether there is a checkpoint to go on from. */
  readonly resuming: boolean;
  /** The step to go on from; `null` for a fresh start. */
  readonly step: number | null;
}

/**
 * Prepares a directory for a run. Without checkpoints in it the run starts afresh; with some, `resume` goes on from
 * the newest, `overwrite` removes them (and nothing else), and neither is an error.
 */
export function initializeCheckpointDir(
  dir: string,
  { resume = false, overwrite = false, ...options }: InitializeOptions = {},
): InitializedCheckpoints {
  const operation = "initializeCheckpointDir";
  if (resume && overwrite) {
    throw new CheckpointError(`${operation}: resume and overwrite contradict each other; give one of them`);
  }
  const directory = path.resolve(dir);
  try {
    fs.mkdirSync(directory, { recursive: true });
    removeLeftovers(directory);
  } catch (error) {
    throw new CheckpointError(`${operation}: cannot write to ${directory}: ${explainFailure(error)}`, {
      cause: error,
    });
  }
  const found = listCheckpoints(directory);
  if (found.length > 0 && !resume && !overwrite) {
    throw new CheckpointError(
      `${operation}: ${directory} has checkpoints already (${showSteps(found.map(({ step }) => step))}); ` +
        `give resume to go on from the newest, overwrite to remove them, or choose another directory`,
    );
  }
  if (overwrite) {
    checkRemovable(operation, found);
    for (const { path: folder } of removeCheckpoints(found)) {
      warn(`${folder} has the name of a checkpoint but is none of ours; it is left as it is`);
    }
    const mark = path.join(directory, bestName);
    if (fs.lstatSync(mark, { throwIfNoEntry: false })?.isDirectory() === false) fs.rmSync(mark);
  }
  const step = resume ? (findCheckpoint(directory)?.step ?? null) : null;
  const manager = CheckpointManager(directory, { ...options, startStep: step ?? 0 });
  return { manager, resuming: step !== null, step };
}

/** Refuses to remove checkpoints with other things in them, which to leave would mix two runs. */
function checkRemovable(operation: string, checkpoints: readonly Checkpoint[]): void {
  for (const { path: folder } of checkpoints) {
    const stranger = holdsCheckpoint(folder) ? strangerIn(folder) : null;
    if (stranger === null) continue;
    throw new CheckpointError(
      `${operation}: ${folder} is a checkpoint with other things in it (${stranger}), which overwrite would remove; ` +
        `nothing was removed. Move them away, or choose another directory`,
    );
  }
}
