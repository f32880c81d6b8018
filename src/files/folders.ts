// Looking at folders. What is not there has nothing in it; what cannot be looked at is no folder.
import { fs, path, type Dirent } from "../node/index.js";
import { failureCode } from "./failure.js";

/** The names in a folder, sorted; none if there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (failureCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The names of the folders in a folder, sorted, those behind links among them; none if there is no such folder. */
export function foldersIn(folder: string): string[] {
  let entries: Dirent[];
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (failureCode(error) === "ENOENT") return [];
    throw error;
  }
  return entries
    .filter((entry) =>
      entry.isSymbolicLink() ? isFolder(path.join(folder, entry.name)) : entry.isDirectory(),
    )
    .map(({ name }) => name)
    .sort();
}

/** Whether a path leads to a folder. Links that lead nowhere, or round in a circle, do not. */
export function isFolder(target: string): boolean {
  try {
    return fs.statSync(target).isDirectory();
  } catch {
    return false;
  }
}

/** The first bytes of a file as text; empty where they cannot be read. */
export function startOfFile(file: string, bytes: number): string {
  try {
    const open = fs.openSync(file, "r");
    try {
      const buffer = Buffer.alloc(bytes);
      return buffer.toString("utf8", 0, fs.readSync(open, buffer, 0, bytes, 0));
    } finally {
      fs.closeSync(open);
    }
  } catch {
    return "";
  }
}
