// What is to be done on a disk as a list of plain values, carried out at once (background.ts does it in the background).
import { fs } from "../node/index.js";

export type Action =
  | { readonly kind: "makeFolder"; readonly path: string }
  /** Writes a new file from its parts and flushes it to the disk. */
  | { readonly kind: "write"; readonly path: string; readonly parts: readonly Uint8Array[] }
  /** Writes to a file from a place on, whatever it had behind that, and flushes it. */
  | {
      readonly kind: "append";
      readonly path: string;
      readonly at: number;
      readonly parts: readonly Uint8Array[];
    }
  /** Flushes a file that is written to elsewhere; one that is gone is passed over. */
  | { readonly kind: "syncFile"; readonly path: string }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  /** Flushes the names in a folder, so that a rename survives a power cut. */
  | { readonly kind: "syncFolder"; readonly path: string }
  /** Removes a file, or a folder with all that is in it. */
  | { readonly kind: "remove"; readonly path: string };

/** Actions in order, and those that undo what was done if one of them fails. */
export interface Plan {
  readonly actions: readonly Action[];
  readonly undo: readonly Action[];
  /** The hidden name it works under, which nobody may clear away meanwhile. */
  readonly temporary?: string;
}

/** Names that plans which are being carried out work under. */
export const active = new Set<string>();

/** Whether a plan that is being carried out works under this name. */
export const isActive = (path: string): boolean => active.has(path);

// Some systems write at most 2 GiB in one call.
const largestPiece = 2 ** 30;

/** Bytes in pieces that one system call can take. */
export function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += largestPiece) yield bytes.subarray(at, at + largestPiece);
}

/** Writes all of some bytes at the place where an open file stands, or at `from`. */
export function writeAll(file: number, bytes: Uint8Array, from: number | null = null): void {
  let at = from;
  for (const piece of pieces(bytes)) {
    for (let done = 0; done < piece.length;) {
      const count = fs.writeSync(file, piece, done, piece.length - done, at);
      done += count;
      if (at !== null) at += count;
    }
  }
}

export type WriteAction = Extract<Action, { readonly kind: "write" | "append" }>;

/** How to open a file that is written: one that is appended to may be new at its start only. */
export const flagsOf = (action: WriteAction): string | number =>
  action.kind === "write" ? "wx" : fs.constants.O_RDWR | (action.at === 0 ? fs.constants.O_CREAT : 0);

/** Refuses a file that has lost what should be before the place. */
export function checkLength(
  { path, at }: { readonly path: string; readonly at: number },
  size: number,
): void {
  if (size < at) throw new Error(`${path} should have ${at} bytes and has ${size}: somebody has cut it`);
}

/** Writes the parts of a file where they belong. */
export function writeParts(file: number, action: WriteAction): void {
  if (action.kind === "write") {
    for (const part of action.parts) writeAll(file, part);
    return;
  }
  checkLength(action, fs.fstatSync(file).size);
  fs.ftruncateSync(file, action.at);
  writeAll(file, Buffer.concat(action.parts), action.at);
}

/** Windows cannot flush folders. */
export const canSyncFolders = (): boolean => process.platform !== "win32";

/** Flushes a file or folder. */
function syncNow(path: string, flags: string): void {
  const file = fs.openSync(path, flags);
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Carries out one action now. */
export function perform(action: Action): void {
  switch (action.kind) {
    case "makeFolder":
      fs.mkdirSync(action.path, { recursive: true });
      return;
    case "write":
    case "append": {
      const file = fs.openSync(action.path, flagsOf(action));
      try {
        writeParts(file, action);
        fs.fsyncSync(file);
      } finally {
        fs.closeSync(file);
      }
      return;
    }
    case "syncFile":
      if (fs.existsSync(action.path)) syncNow(action.path, "r+");
      return;
    case "rename":
      fs.renameSync(action.from, action.to);
      return;
    case "syncFolder":
      if (canSyncFolders()) syncNow(action.path, "r");
      return;
    case "remove":
      fs.rmSync(action.path, { recursive: true, force: true });
  }
}

/** Undoing goes as far as it can; what matters to the caller is the first failure. */
export function undoAll(actions: readonly Action[]): void {
  for (const action of actions) {
    try {
      perform(action);
    } catch {
      continue;
    }
  }
}

/** Carries out a plan and returns when it is done. */
export function runNow({ actions, undo, temporary = "" }: Plan): void {
  active.add(temporary);
  try {
    for (const action of actions) perform(action);
  } catch (error) {
    undoAll(undo);
    throw error;
  } finally {
    active.delete(temporary);
  }
}
