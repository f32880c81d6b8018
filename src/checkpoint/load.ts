// Finding and loading checkpoints: the one that is asked for, or the newest that is whole.
import { fs, path } from "../node/index.js";
import { decodeTree, decodeWhole } from "./codec.js";
import { CheckpointError, DamagedCheckpointError } from "./errors.js";
import { parseCheckpoint, readCheckpoint, type CheckpointBytes, type StoredCheckpoint } from "./manifest.js";
import { manifestName } from "./names.js";
import { listCheckpoints, showSteps } from "./steps.js";

export interface FindOptions {
  /** The step to load. Without it the newest checkpoint that is whole. */
  readonly step?: number | null;
}

export interface LoadOptions extends FindOptions {
  /** How many devices to copy every array to, along a new leading axis. Default: none. */
  readonly replicateTo?: number | null;
  /** Whether `like` may leave out keys of objects: a part of the tree is loaded, its parameters say. Default false. */
  readonly partial?: boolean;
}

interface Found extends StoredCheckpoint {
  readonly path: string;
}

/** A checkpoint that was found and is whole. */
export interface CheckpointInfo {
  /** `null` for one that was saved without a step. */
  readonly step: number | null;
  readonly path: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The checkpoint that is asked for, checked; `null` if the directory has none at all. */
function find(operation: string, dir: string, step: number | null): Found | null {
  const isCheckpoint = fs.existsSync(path.join(dir, manifestName));
  if (isCheckpoint && step === null) return readAsked(operation, dir);
  const all = listCheckpoints(dir);
  if (step === null) return newestWhole(operation, dir, all.map((checkpoint) => checkpoint.path).reverse());
  const asked = all.find((checkpoint) => checkpoint.step === step);
  if (asked !== undefined) return readAsked(operation, asked.path);
  const steps = all.map((checkpoint) => checkpoint.step);
  throw new CheckpointError(
    `${operation}: ${dir} has no checkpoint of step ${step}; it has ${showSteps(steps)}`,
  );
}

/** A checkpoint that was named: nothing else will do. */
function readAsked(operation: string, folder: string): Found {
  try {
    return { ...readCheckpoint(folder), path: folder };
  } catch (error) {
    if (!(error instanceof DamagedCheckpointError)) throw error;
    throw new DamagedCheckpointError(`${operation}: ${error.message}. Choose another step`, { cause: error });
  }
}

/** The first of the folders that is whole; the others before it with a warning each. */
function newestWhole(operation: string, dir: string, folders: readonly string[]): Found | null {
  const problems: string[] = [];
  for (const folder of folders) {
    try {
      const found = { ...readCheckpoint(folder), path: folder };
      for (const problem of problems) warn(`${problem}; using ${path.basename(folder)} instead`);
      return found;
    } catch (error) {
      if (!(error instanceof DamagedCheckpointError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length === 0) return null;
  throw new DamagedCheckpointError(
    `${operation}: none of the ${problems.length} checkpoints in ${dir} is whole: ${problems.join("; ")}. ` +
      `Start afresh in another directory, or overwrite this one`,
  );
}

/** Says something that does not stop the program. */
export const warn = (message: string): void => process.emitWarning(message, "CheckpointWarning");

const infoOf = ({ manifest, path: folder }: Found): CheckpointInfo => ({
  step: manifest.step,
  path: folder,
  metadata: manifest.metadata,
});

/**
 * Looks for the checkpoint that `loadCheckpoint` would load: its step, path and metadata, or `null` if the directory
 * has none. Damaged ones are skipped with a warning.
 */
export function findCheckpoint(dir: string, { step = null }: FindOptions = {}): CheckpointInfo | null {
  const found = find("findCheckpoint", path.resolve(dir), step);
  return found === null ? null : infoOf(found);
}

function findOrFail(operation: string, dir: string, step: number | null): Found {
  const full = path.resolve(dir);
  const found = find(operation, full, step);
  if (found !== null) return found;
  const what = fs.existsSync(full) ? "has no checkpoints" : "does not exist";
  throw new CheckpointError(
    `${operation}: ${full} ${what}; expected folders named step_N, or one checkpoint`,
  );
}

/** A tree that was loaded, and where it came from. */
export interface Loaded<T> extends CheckpointInfo {
  readonly tree: T;
}

/** Loads a tree together with what is known of its checkpoint. */
export function loadFrom<T>(
  operation: string,
  dir: string,
  like: T,
  { step = null, replicateTo = null, partial = false }: LoadOptions,
): Loaded<T> {
  if (replicateTo !== null && (!Number.isInteger(replicateTo) || replicateTo < 1)) {
    throw new CheckpointError(
      `${operation}: replicateTo must be a whole number of at least 1, got ${String(replicateTo)}`,
    );
  }
  const found = findOrFail(operation, dir, step);
  const { manifest, tensors } = found;
  const tree = decodeTree(`${operation}: ${found.path}`, { outline: manifest.tree, tensors }, like, {
    replicas: replicateTo,
    partial,
  });
  return { ...infoOf(found), tree };
}

/**
 * Loads the tree of a checkpoint into the structure of `like`, whose arrays say which shapes and dtypes to expect.
 * `dir` is a directory of `step_N` folders, or one checkpoint.
 */
export const loadCheckpoint = <T>(dir: string, like: T, options: LoadOptions = {}): T =>
  loadFrom("loadCheckpoint", dir, like, options).tree;

/** Loads all of a checkpoint's tree as plain objects and lists, for those who do not know its structure. */
export function loadWhole(
  operation: string,
  dir: string,
  { step = null }: FindOptions = {},
): Loaded<unknown> {
  return wholeOf(operation, findOrFail(operation, dir, step));
}

/** The same from the bytes of a checkpoint's files. */
export function loadWholeBytes(operation: string, files: CheckpointBytes): Loaded<unknown> {
  const place = "the checkpoint";
  return wholeOf(operation, { ...parseCheckpoint(files, `${operation}: ${place}`), path: place });
}

function wholeOf(operation: string, found: Found): Loaded<unknown> {
  const { manifest, tensors } = found;
  return {
    ...infoOf(found),
    tree: decodeWhole(`${operation}: ${found.path}`, { outline: manifest.tree, tensors }),
  };
}

/** The metadata of the checkpoint that `loadCheckpoint` would load. */
export const loadMetadata = (
  dir: string,
  { step = null }: FindOptions = {},
): Readonly<Record<string, unknown>> => findOrFail("loadMetadata", dir, step).manifest.metadata;
