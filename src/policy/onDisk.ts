// Policies on disk: in run directories, directories of checkpoints, single checkpoints, and files of their own.
import { fs, path } from "../node/index.js";
import { fail } from "../array/index.js";
import { bestCheckpoint, listCheckpoints, loadWhole, type Loaded } from "../checkpoint/index.js";
import { explainFailure, isFolder, startOfFile } from "../files/index.js";
import { policyInCheckpoint, type MemberChoice } from "./inCheckpoint.js";
import type { ImportOptions } from "./imported.js";
import { policyFromBytes, type StoredPolicy } from "./stored.js";

interface Choice extends ImportOptions, MemberChoice {
  readonly step?: number;
}

export function policyOnDisk(operation: string, place: string, choice: Choice): StoredPolicy {
  const full = path.resolve(place);
  if (fs.statSync(full, { throwIfNoEntry: false })?.isFile() === true) {
    return policyFromBytes(operation, bytesOf(operation, full), choice);
  }
  if (!isFolder(full))
    fail(operation, `${full} does not exist; give a run directory, a checkpoint or a file`);
  return policyInCheckpoint(operation, chosenCheckpoint(checkpointsOf(full), choice.step), choice);
}

function bytesOf(operation: string, file: string): Uint8Array {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    fail(operation, `cannot read ${file}: ${explainFailure(error)}`);
  }
}

/** Where the checkpoints of a run are; a folder that is no run's is taken to hold them itself. */
function checkpointsOf(folder: string): string {
  const own = path.join(folder, "checkpoints");
  const isThere = listCheckpoints(folder).length > 0 || fs.existsSync(path.join(folder, "checkpoint.json"));
  if (isThere) return folder;
  if (listCheckpoints(own).length > 0) return own;
  // A run notes where else its checkpoints went; a directory inside its own moves with it.
  const noted = startOfFile(path.join(folder, "logs", "checkpoint_dir.txt"), 4096).trim();
  if (noted !== "") return path.resolve(folder, noted);
  return isFolder(own) ? own : folder;
}

function chosenCheckpoint(directory: string, step: number | undefined): Loaded<unknown> {
  const chosen = step ?? bestCheckpoint(directory)?.step;
  return loadWhole("loadPolicy", directory, chosen === undefined ? {} : { step: chosen });
}
