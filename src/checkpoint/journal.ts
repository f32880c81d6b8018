// What grows with a run, beside its checkpoints, which do not: lines that are only ever appended. Each checkpoint says
// how far the journal reached when it was saved; what comes behind that belongs to no checkpoint that is whole.
import { crypto, fs, type Hash } from "../node/index.js";
import { explainFailure, failureCode, isRecord, joined, startOfFile, type Action } from "../files/index.js";
import { sha256 } from "./checksum.js";
import { CheckpointError, DamagedCheckpointError } from "./errors.js";

/** How far a journal reaches: a checkpoint's part of it. */
export interface JournalMark {
  readonly bytes: number;
  readonly sha256: string;
}

/** A journal that is being written. */
export interface Journal {
  readonly path: string;
  /** How far it will reach when all that was appended is on the disk. */
  readonly mark: JournalMark;
  /** Whether what was written is still there, as far as its length tells. */
  readonly isWhole: boolean;
  /** How to write more entries; the mark counts them from now on. */
  append(entries: readonly object[]): Action;
  /** Forgets what was written: the next entries begin the file anew. */
  restart(): void;
}

const format = "vibe-rl journal";
const header = `${JSON.stringify({ format, version: 1 })}\n`;

/** Whether a file is a journal, or the beginning of one that was cut. */
export function isJournal(file: string): boolean {
  const start = startOfFile(file, header.length);
  return header.startsWith(start) && fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** A journal from its beginning. What an earlier one has written there is written over. */
export function beginJournal(file: string): Journal {
  if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined && !isJournal(file)) {
    throw new CheckpointError(`${file} is not a journal of ours and is left as it is; move it away`);
  }
  return journalAt(file, crypto.createHash("sha256"), 0);
}

/** A whole journal as bytes, and the mark behind its last entry. */
export function journalBytes(entries: readonly object[]): {
  readonly bytes: Uint8Array;
  readonly mark: JournalMark;
} {
  const text = new TextEncoder();
  const bytes = joined(
    [header, ...entries.map((entry) => `${JSON.stringify(entry)}\n`)].map((line) => text.encode(line)),
  );
  return { bytes, mark: { bytes: bytes.length, sha256: sha256([bytes]) } };
}

/** Reads a journal up to a mark and goes on from there; `null` if there is no such file. */
export function resumeJournal(
  file: string,
  mark: JournalMark,
): { readonly journal: Journal; readonly entries: readonly Readonly<Record<string, unknown>>[] } | null {
  const damaged = (what: string): never => {
    throw new DamagedCheckpointError(`${file} is not what the checkpoint was saved with: ${what}`);
  };
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(file).subarray(0, mark.bytes);
  } catch (error) {
    if (failureCode(error) === "ENOENT") return null;
    return damaged(explainFailure(error));
  }
  if (bytes.length < mark.bytes) damaged(`it has ${bytes.length} bytes instead of ${mark.bytes}`);
  const hash = crypto.createHash("sha256").update(bytes);
  if (hash.copy().digest("hex") !== mark.sha256) damaged("its checksum differs");
  const entries = linesOf(bytes).map((line) => objectIn(line) ?? damaged("it has a line that is no object"));
  return { journal: journalAt(file, hash, mark.bytes), entries: entries.slice(1) };
}

/** The lines of a file that ends with one. A text of all of it might be longer than texts can be. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    lines.push(bytes.subarray(from, to));
    from = to + 1;
  }
  return lines;
}

function objectIn(line: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function journalAt(file: string, start: Hash, length: number): Journal {
  let [hash, bytes] = [start, length];
  return {
    path: file,
    get mark() {
      return { bytes, sha256: hash.copy().digest("hex") };
    },
    get isWhole() {
      const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      return size >= bytes;
    },
    append: (entries) => {
      const texts = entries.map((entry) => `${JSON.stringify(entry)}\n`);
      const parts = (bytes === 0 ? [header, ...texts] : texts).map((text) => Buffer.from(text));
      const action = { kind: "append", path: file, at: bytes, parts } as const;
      for (const part of parts) {
        hash.update(part);
        bytes += part.length;
      }
      return action;
    },
    restart: () => {
      [hash, bytes] = [crypto.createHash("sha256"), 0];
    },
  };
}
