// A tree in a single safetensors file on disk.
import { path } from "../node/index.js";
import { explainFailure, replaceFile } from "../files/index.js";
import { CheckpointError, DamagedCheckpointError } from "./errors.js";
import { readSafetensors, type SafetensorsFile } from "./safetensorsFile.js";
import { writeError } from "./save.js";
import { decodeTreeFile, encodeTreeFile } from "./treeBytes.js";

/** Saves a tree as one safetensors file that appears whole or not at all. */
export function saveTree(file: string, tree: unknown): void {
  const operation = "saveTree";
  const target = path.resolve(file);
  const parts = encodeTreeFile(operation, tree, {});
  try {
    replaceFile(target, parts);
  } catch (error) {
    throw writeError(operation, target, error);
  }
}

export interface LoadTreeOptions {
  /** Whether `like` may leave out keys of objects: a part of the tree is loaded. Default false. */
  readonly partial?: boolean;
}

/**
 * Loads the tree of a safetensors file, into the structure of `like` if that is given. A file that another tool has
 * written is a record of its arrays by name, F16 and BF16 widened to float32.
 */
export function loadTree(file: string): unknown;
export function loadTree<T>(file: string, like: T, options?: LoadTreeOptions): T;
export function loadTree(file: string, like?: unknown, { partial = false }: LoadTreeOptions = {}): unknown {
  const operation = "loadTree";
  const target = path.resolve(file);
  return decodeTreeFile(`${operation}: ${target}`, readTreeFile(operation, target), like, { partial }).tree;
}

function readTreeFile(operation: string, target: string): SafetensorsFile {
  try {
    return readSafetensors(target);
  } catch (error) {
    if (error instanceof DamagedCheckpointError) {
      throw new DamagedCheckpointError(`${operation}: ${error.message}`, { cause: error });
    }
    throw new CheckpointError(`${operation}: cannot read ${target}: ${explainFailure(error)}`, {
      cause: error,
    });
  }
}
