// A folder that one process at a time may write to: a file in it names the process.
import { fs, os, path } from "../node/index.js";
import { explainFailure, failureCode } from "./failure.js";
import { isRecord } from "./json.js";
import { beginningOf, isRunning } from "./processes.js";
import { besides } from "./replace.js";

/** A folder that another process writes to. */
export class LockError extends Error {
  override readonly name = "LockError";
}

/** The name of the file. */
export const lockName = ".lock";

export interface Lock {
  release(): void;
}

/** Who holds a lock. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  /** What tells the process from another one of its number; `null` where the system does not say. */
  readonly began: string | null;
  /** When the lock was taken. */
  readonly since: string;
  /** Whether the process listened for SIGINT when it took the lock, as those do that save before they end. */
  readonly listens: boolean;
}

/** Who holds the lock of a folder, as another process sees it. */
export interface LockOwner extends Owner {
  readonly isHere: boolean;
  /** Whether the process is still there; on another host that cannot be told, and counts as yes. */
  readonly isAlive: boolean;
  /** Whether it is certainly the process that took the lock, and no later one of its number. */
  readonly isCertain: boolean;
}

/** How often a lock that nobody holds is tried to be cleared away, and how long others are waited for in between. */
const mostAttempts = 50;
const pauseMs = 10;

/** The locks of this very process. */
const held = new Set<string>();

/** Takes the lock of a folder, which must exist. A lock whose process is gone is taken over. */
export function takeLock(folder: string): Lock {
  const file = path.join(fs.realpathSync(folder), lockName);
  const owner: Owner = {
    pid: process.pid,
    host: os.hostname(),
    began: beginningOf(process.pid),
    since: new Date().toISOString(),
    listens: process.listenerCount("SIGINT") > 0,
  };
  const own = `${JSON.stringify(owner)}\n`;
  // Once for what is there, once more where a lock that nobody holds was cleared away, and again while others do that.
  for (let attempt = 0; !create(file, own); attempt++) {
    const found = read(file);
    if (found === null) continue;
    if (attempt >= mostAttempts || held.has(file) || isHeld(found))
      throw new LockError(inUse(folder, file, found));
    clear(file, found, own);
  }
  held.add(file);
  return {
    release: () => {
      held.delete(file);
      // Whoever was told to remove our lock may have put their own in its place.
      if (read(file) === own) fs.rmSync(file, { force: true });
    },
  };
}

/** Puts the file in place, whole, unless there is one. */
function create(file: string, text: string): boolean {
  const temporary = besides(file, "tmp");
  try {
    fs.writeFileSync(temporary, text, { flush: true });
    try {
      fs.linkSync(temporary, file);
    } catch (error) {
      if (failureCode(error) === "EEXIST") return false;
      // Not every file system has hard links.
      fs.writeFileSync(file, text, { flag: "wx", flush: true });
    }
    return true;
  } catch (error) {
    if (failureCode(error) === "EEXIST") return false;
    throw new LockError(`cannot write ${file}: ${explainFailure(error)}`, { cause: error });
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

function read(file: string): string | null {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (failureCode(error) === "ENOENT") return null;
    throw new LockError(`cannot read ${file}: ${explainFailure(error)}`, { cause: error });
  }
}

function ownerIn(text: string): Owner | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || !Number.isSafeInteger(value.pid) || typeof value.host !== "string") return null;
    const { pid, host, began, since, listens } = value;
    return {
      pid: pid as number,
      host,
      began: typeof began === "string" ? began : null,
      since: typeof since === "string" ? since : "an unknown time",
      listens: listens === true,
    };
  } catch {
    return null;
  }
}

/** Whether a lock's process may still be there. What cannot be told counts as yes. */
function isHeld(text: string): boolean {
  const owner = ownerIn(text);
  if (owner?.host !== os.hostname()) return true;
  if (!isRunning(owner.pid)) return false;
  const now = beginningOf(owner.pid);
  return owner.began === null || now === null || owner.began === now;
}

/** Who has the lock of a folder; `null` without a lock, or with one that cannot be read. */
export function lockOwner(folder: string): LockOwner | null {
  let text: string | null;
  try {
    text = read(path.join(folder, lockName));
  } catch {
    return null;
  }
  const owner = text === null ? null : ownerIn(text);
  if (text === null || owner === null) return null;
  const isHere = owner.host === os.hostname();
  const isAlive = isHeld(text);
  const isCertain = isHere && isAlive && owner.began !== null && beginningOf(owner.pid) === owner.began;
  return { ...owner, isHere, isAlive, isCertain };
}

/**
 * Removes a lock that nobody holds, and no other that has come into its place meanwhile: one process at a time, so that
 * what it has read is still what it removes. Where another is at it, waits a moment.
 */
function clear(file: string, expected: string, own: string): void {
  const claim = `${file}.clearing`;
  if (create(claim, own)) {
    try {
      if (read(file) === expected) fs.rmSync(file, { force: true });
    } finally {
      fs.rmSync(claim, { force: true });
    }
    return;
  }
  const other = read(claim);
  if (other !== null && !isHeld(other)) moveAway(claim, other);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
}

/** Removes a claim of a process that ended before it was done. */
function moveAway(file: string, expected: string): void {
  const aside = besides(file, "old");
  try {
    fs.renameSync(file, aside);
  } catch (error) {
    if (failureCode(error) === "ENOENT") return;
    throw new LockError(`cannot remove ${file}: ${explainFailure(error)}`, { cause: error });
  }
  try {
    if (read(aside) !== expected) fs.linkSync(aside, file);
  } catch (error) {
    if (failureCode(error) !== "EEXIST") throw error;
  } finally {
    fs.rmSync(aside, { force: true });
  }
}

function inUse(folder: string, file: string, text: string): string {
  const owner = ownerIn(text);
  const force = `remove ${file} to go on`;
  if (owner === null)
    return `${folder} is locked by a file that cannot be read; if nobody writes there, ${force}`;
  const { pid, host, since } = owner;
  const isHere = host === os.hostname();
  const who =
    isHere && pid === process.pid ? "this very process" : `process ${pid}${isHere ? "" : ` on ${host}`}`;
  return (
    `${folder} is being written to by ${who} since ${since}; two at once would spoil it. ` +
    (isHere
      ? `Wait for it or stop it`
      : `Whether that process still runs can only be seen there: if not, ${force}`)
  );
}
