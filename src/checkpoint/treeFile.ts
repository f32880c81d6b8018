// A tree in a single safetensors file, for weights that travel alone.
import { path } from "../node/index.js";
import { explainFailure, replaceFile } from "../files/index.js";
import { decodeTree, encodeTree } from "./codec.js";
import { CheckpointError, DamagedCheckpointError } from "./errors.js";
import type { Outline } from "./outline.js";
import { encodeSafetensors, readSafetensors, sha256 } from "./safetensors.js";
import { writeError } from "./save.js";

// The checksum is part of the file that it is of: it is taken with zeros in its own place.
const blank = "0".repeat(64);

/** Saves a tree as one safetensors file that appears whole or not at all. */
export function saveTree(file: string, tree: unknown): void {
  const operation = "saveTree";
  const target = path.resolve(file);
  const { outline, tensors } = encodeTree(operation, tree, false);
  const encode = (checksum: string) =>
    encodeSafetensors(tensors, { format: "vibe-rl", tree: JSON.stringify(outline), sha256: checksum });
  try {
    replaceFile(target, encode(sha256(encode(blank))));
  } catch (error) {
    throw writeError(operation, target, error);
  }
}

/** Loads the tree of a file that `saveTree` wrote into the structure of `like`. */
export function loadTree<T>(file: string, like: T): T {
  const operation = "loadTree";
  const target = path.resolve(file);
  const { metadata, tensors, parts } = readTreeFile(operation, target);
  const { tree: outline, sha256: checksum = "" } = metadata;
  if (outline === undefined) {
    throw new CheckpointError(
      `${operation}: ${target} is a safetensors file that saveTree did not write: it does not say which tree it holds`,
    );
  }
  const [length, header, ...data] = parts;
  const blanked = Buffer.from(Buffer.from(header).toString("utf8").replace(checksum, blank));
  if (sha256([length, blanked, ...data]) !== checksum) {
    throw new DamagedCheckpointError(`${operation}: ${target} was altered: its checksum differs`);
  }
  return decodeTree(
    `${operation}: ${target}`,
    { outline: JSON.parse(outline) as Outline, tensors },
    like,
    null,
  );
}

function readTreeFile(operation: string, target: string): ReturnType<typeof readSafetensors> {
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
