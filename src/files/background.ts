// Work on a disk in the background: the program goes on while the disk is waited for.
import { fs, type FileHandle } from "../node/index.js";
import {
  active,
  canSyncFolders,
  checkLength,
  flagsOf,
  perform,
  pieces,
  undoAll,
  writeParts,
  type Action,
  type Plan,
  type WriteAction,
} from "./actions.js";

/** Writes all of some bytes to an open file without holding up the program. */
async function writeAllLater(file: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  let at = from;
  for (const piece of pieces(bytes)) {
    for (let done = 0; done < piece.length;) {
      const { bytesWritten } = await file.write(piece, done, piece.length - done, at);
      done += bytesWritten;
      at += bytesWritten;
    }
  }
}

/** Flushes an open file without holding up the program. */
const flushLater = (file: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fs.fsync(file, (error) => (error === null ? resolve() : reject(error)));
  });

async function syncLater(path: string, flags: string): Promise<void> {
  const file = fs.openSync(path, flags);
  try {
    await flushLater(file);
  } finally {
    fs.closeSync(file);
  }
}

// Writing so little takes the system less time than Node takes for a promise. Flushing is what a disk is waited for.
const smallFile = 2 ** 20;

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

/** Writes a file without holding up the program. */
async function writeLater(action: WriteAction): Promise<void> {
  const file = await fs.promises.open(action.path, flagsOf(action));
  try {
    let at = 0;
    if (action.kind === "append") {
      ({ at } = action);
      checkLength(action, (await file.stat()).size);
      await file.truncate(at);
    }
    for (const part of action.parts) {
      await writeAllLater(file, part, at);
      at += part.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeSmall(action: WriteAction): Promise<void> {
  const file = fs.openSync(action.path, flagsOf(action));
  try {
    writeParts(file, action);
    await flushLater(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Carries out one action; what waits for the disk does not hold up the program. */
async function performLater(action: Action): Promise<void> {
  switch (action.kind) {
    case "write":
    case "append":
      return isLarge(action) ? writeLater(action) : writeSmall(action);
    case "syncFile":
      if (fs.existsSync(action.path)) await syncLater(action.path, "r+");
      return;
    case "syncFolder":
      if (canSyncFolders()) await syncLater(action.path, "r");
      return;
    case "makeFolder":
    case "rename":
    case "remove":
      perform(action);
  }
}

const isLarge = (action: Action): boolean =>
  (action.kind === "write" || action.kind === "append") && lengthOf(action.parts) > smallFile;

/** Whether an action must not begin before those of a stage are done. */
const mustWait = (action: Action, stage: readonly Action[]): boolean => {
  const before = stage.at(-1)?.kind;
  if (action.kind === "rename" || action.kind === "remove") return true;
  if (before === undefined || before === "rename" || before === "remove") return true;
  // The names of files are flushed when they are there: small ones are at once.
  return action.kind === "syncFolder" && stage.some(isLarge);
};

/** Actions in order, those together that can wait for the disk together. They begin one after the other. */
function stagesOf(actions: readonly Action[]): Action[][] {
  const stages: Action[][] = [];
  for (const action of actions) {
    const stage = stages.at(-1) ?? [];
    if (mustWait(action, stage)) stages.push([action]);
    else stage.push(action);
  }
  return stages;
}

/** Waits for all, even where one fails: undoing must not meet work under way. */
async function performTogether(actions: readonly Action[]): Promise<void> {
  for (const result of await Promise.allSettled(actions.map(performLater))) {
    if (result.status === "rejected") throw result.reason;
  }
}

/** Carries out a plan in the background. */
export async function runInBackground({ actions, undo, temporary = "" }: Plan): Promise<void> {
  active.add(temporary);
  try {
    for (const stage of stagesOf(actions)) await performTogether(stage);
  } catch (error) {
    undoAll(undo);
    throw error;
  } finally {
    active.delete(temporary);
  }
}
