// Built programs by what they were built from. An entry is a folder with a file of code and what is known of it; it
// appears whole or not at all, and what does not fit its checksum is built anew.
import { crypto, fs, path, processIdentity } from "../../node/index.js";
import { codeOf } from "./folder.js";
import { sha256 } from "./checksum.js";

/** How an entry's file of code is called: a library of the system's, code for a GPU, or what XLA has compiled. */
export type CodeName = "library.so" | "program.cubin" | "program.xla";

export const recordName = "entry.json";

/** What is known of a built program. */
export interface EntryRecord {
  /** What it is called in dumps: the jitted function. */
  readonly program: string;
  /** Which compiler has built it. */
  readonly compiler: string;
  readonly sha256: string;
}

/** The code of an entry that is whole; null if there is none. */
export function findEntry(folder: string, key: string, name: CodeName): string | null {
  const entry = path.join(folder, key);
  const code = path.join(entry, name);
  const record = readRecord(path.join(entry, recordName));
  if (record === null) return null;
  try {
    if (sha256(fs.readFileSync(code)) !== record.sha256) return null;
  } catch {
    return null;
  }
  touch(path.join(entry, recordName));
  return code;
}

/** Notes that an entry was used, where notes can be made. */
function touch(file: string): void {
  try {
    const now = new Date();
    fs.utimesSync(file, now, now);
  } catch {
    // It can be used all the same.
  }
}

export function readRecord(file: string): EntryRecord | null {
  try {
    const {
      program,
      compiler,
      sha256: sum,
    } = JSON.parse(fs.readFileSync(file, "utf8")) as Partial<EntryRecord>;
    if (typeof program !== "string" || typeof compiler !== "string" || typeof sum !== "string") return null;
    return { program, compiler, sha256: sum };
  } catch {
    return null;
  }
}

let builds = 0;

/** A new folder for a build. */
export function buildFolder(folder: string): string {
  const { pid } = processIdentity();
  const made = path.join(folder, `building-${pid}-${++builds}-${crypto.randomBytes(4).toString("hex")}`);
  fs.mkdirSync(made, { mode: 0o700 });
  return made;
}

/** Turns the folder of a build into an entry; returns its code. Another process may have been faster. */
export function keepEntry(
  folder: string,
  key: string,
  built: string,
  codeName: CodeName,
  record: Omit<EntryRecord, "sha256">,
): string {
  const code = path.join(built, codeName);
  const sum = sha256(fs.readFileSync(code));
  fs.chmodSync(code, 0o600);
  fs.writeFileSync(path.join(built, recordName), JSON.stringify({ ...record, sha256: sum }), { mode: 0o600 });
  for (const name of fs.readdirSync(built))
    if (name !== codeName && name !== recordName) fs.rmSync(path.join(built, name), { recursive: true });
  const entry = path.join(folder, key);
  for (let isLast = false; ; isLast = true) {
    try {
      fs.renameSync(built, entry);
      break;
    } catch (error) {
      const other = findEntry(folder, key, codeName);
      if (other === null && isLast) throw error;
      if (other !== null) {
        fs.rmSync(built, { recursive: true, force: true });
        return other;
      }
      // What is there is damaged.
      removeEntry(folder, key);
    }
  }
  return path.join(entry, codeName);
}

/** Takes something away at once, so that nobody finds half of it. */
export function removeEntry(folder: string, name: string): void {
  const aside = path.join(folder, `removing-${crypto.randomBytes(8).toString("hex")}`);
  try {
    fs.renameSync(path.join(folder, name), aside);
  } catch (error) {
    // Somebody else has taken it away.
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  fs.rmSync(aside, { recursive: true, force: true });
}

/** Keeps the sources of a build that failed, to be looked at; returns where. */
export function keepFailed(folder: string, key: string, built: string): string {
  const kept = path.join(folder, `failed-${key.slice(0, 16)}`);
  try {
    fs.rmSync(kept, { recursive: true, force: true });
    fs.renameSync(built, kept);
    return kept;
  } catch {
    return built;
  }
}
