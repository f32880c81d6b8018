// Whether a folder is a checkpoint of ours. A name says little: only what we have written may be removed.
import { fs, path } from "../node/index.js";
import { namesIn, startOfFile } from "../files/index.js";
import { format, manifestName, tensorsName } from "./names.js";

const ownNames: readonly string[] = [manifestName, tensorsName];

/** The first thing in a folder that is no part of a checkpoint; `null` if there is none. */
export const strangerIn = (folder: string): string | null =>
  namesIn(folder).find((name) => !ownNames.includes(name)) ?? null;

/**
 * Whether a folder holds a checkpoint that we wrote, whole or damaged. Both files begin with a word that says so; one
 * of them is enough, and so are the names of both.
 */
export function holdsCheckpoint(folder: string): boolean {
  const names = namesIn(folder);
  const begins = (file: string, words: RegExp) => words.test(startOfFile(path.join(folder, file), 4096));
  return (
    ownNames.every((name) => names.includes(name)) ||
    begins(manifestName, new RegExp(`^\\s*\\{\\s*"format":\\s*"${format}"`)) ||
    begins(tensorsName, /\{"__metadata__":\{"format":"vibe-rl"/)
  );
}

/** Whether a folder is a checkpoint that we wrote and nothing else, so that it may be removed. */
export function isOwnCheckpoint(folder: string): boolean {
  try {
    return fs.lstatSync(folder).isDirectory() && strangerIn(folder) === null && holdsCheckpoint(folder);
  } catch {
    return false;
  }
}
