// What is to be done on a disk as a list of plain values, carried out at once or in the background.
import { fs } from "../node/index.js";

export type Action =
  | { readonly kind: "makeFolder"; readonly path: string }
  /** Writes a new file from its parts and flushes it to the disk. */
  | { readonly kind: "write"; readonly path: string; readonly parts: readonly Uint8Array[] }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  /** Flushes the names in a folder, so that a rename survives a power cut. */
  | { readonly kind: "syncFolder"; readonly path: string }
  /** Removes a file, or a folder with all that is in it. */
  | { readonly kind: "remove"; readonly path: string };

/** Actions in order, and those that undo what was done if one of them fails. */
export interface Plan {
  readonly actions: readonly Action[];
  readonly undo: readonly Action[];
}

// Some systems write at most 2 GiB in one call.
const largestPiece = 2 ** 30;

/** Bytes in pieces that one system call can take. */
export function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += largestPiece) yield bytes.subarray(at, at + largestPiece);
}

/** Writes all of some bytes at the place where an open file stands. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (const piece of pieces(bytes)) {
    for (let done = 0; done < piece.length;) done += fs.writeSync(file, piece, done, piece.length - done);
  }
}

/** Carries out one action now. */
function perform(action: Action): void {
  switch (action.kind) {
    case "makeFolder":
      fs.mkdirSync(action.path, { recursive: true });
      return;
    case "write": {
      const file = fs.openSync(action.path, "wx");
      try {
        for (const part of action.parts) writeAll(file, part);
        fs.fsyncSync(file);
      } finally {
        fs.closeSync(file);
      }
      return;
    }
    case "rename":
      fs.renameSync(action.from, action.to);
      return;
    case "syncFolder":
      syncFolder(action.path);
      return;
    case "remove":
      fs.rmSync(action.path, { recursive: true, force: true });
  }
}

function syncFolder(path: string): void {
  // Windows cannot flush folders.
  if (process.platform === "win32") return;
  const folder = fs.openSync(path, "r");
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}

/** Carries out one action without holding up the program. */
async function performLater(action: Action): Promise<void> {
  switch (action.kind) {
    case "makeFolder":
      await fs.promises.mkdir(action.path, { recursive: true });
      return;
    case "write": {
      const file = await fs.promises.open(action.path, "wx");
      try {
        for (const piece of action.parts.flatMap((part) => [...pieces(part)])) {
          for (let done = 0; done < piece.length;) {
            done += (await file.write(piece, done, piece.length - done)).bytesWritten;
          }
        }
        await file.sync();
      } finally {
        await file.close();
      }
      return;
    }
    case "rename":
      await fs.promises.rename(action.from, action.to);
      return;
    case "syncFolder": {
      if (process.platform === "win32") return;
      const folder = await fs.promises.open(action.path, "r");
      try {
        await folder.sync();
      } finally {
        await folder.close();
      }
      return;
    }
    case "remove":
      await fs.promises.rm(action.path, { recursive: true, force: true });
  }
}

/** Undoing goes as far as it can; what matters to the caller is the first failure. */
function undoAll(actions: readonly Action[]): void {
  for (const action of actions) {
    try {
      perform(action);
    } catch {
      continue;
    }
  }
}

/** Carries out a plan and returns when it is done. */
export function runNow({ actions, undo }: Plan): void {
  try {
    for (const action of actions) perform(action);
  } catch (error) {
    undoAll(undo);
    throw error;
  }
}

/** Carries out a plan in the background. */
export async function runInBackground({ actions, undo }: Plan): Promise<void> {
  try {
    for (const action of actions) await performLater(action);
  } catch (error) {
    undoAll(undo);
    throw error;
  }
}
