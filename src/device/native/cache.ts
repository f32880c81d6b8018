// Built programs by what they were built from. An entry is a folder with a library and what is known of it; it appears
// whole or not at all, and what does not fit its checksum is built anew.
import { environment, fail } from "../../array/index.js";
import { crypto, fs, path, processIdentity } from "../../node/index.js";
import { cachePath, codeOf } from "./cacheFolder.js";

export const libraryName = "library.so";
const recordName = "entry.json";

/** What is known of a built program. */
export interface EntryRecord {
  /** What it is called in dumps: the jitted function. */
  readonly program: string;
  /** Which compiler has built it. */
  readonly compiler: string;
  readonly sha256: string;
}

/** A built program, as `vibe-rl cache` tells of it. */
export interface CacheEntry extends EntryRecord {
  readonly key: string;
  readonly bytes: number;
  /** When it was used last, in milliseconds since 1970. */
  readonly usedAt: number;
}

const isKey = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);
/** Folders of builds that are under way or were killed, and of those that failed. */
const isScrap = (name: string): boolean => /^(building|failed|removing)-[\w-]+$/.test(name);
/** What compilers have said about this machine. */
const isMemo = (name: string): boolean => /^compiler-[0-9a-f]{64}\.json(\.[0-9a-f]{8})?$/.test(name);

/** A build that has not come to its end in so long never will. */
const abandonedMs = 3600_000;

export const sha256 = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = crypto.createHash("sha256");
  for (const part of parts) {
    // Lengths keep parts apart.
    hash.update(`${part.length} `);
    hash.update(part);
  }
  return hash.digest("hex");
};

/** The library of an entry that is whole; null if there is none. */
export function findEntry(folder: string, key: string): string | null {
  const entry = path.join(folder, key);
  const library = path.join(entry, libraryName);
  const record = readRecord(path.join(entry, recordName));
  if (record === null) return null;
  try {
    if (sha256(fs.readFileSync(library)) !== record.sha256) return null;
  } catch {
    return null;
  }
  touch(path.join(entry, recordName));
  return library;
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

function readRecord(file: string): EntryRecord | null {
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

/** Turns the folder of a build into an entry; returns its library. Another process may have been faster. */
export function keepEntry(
  folder: string,
  key: string,
  built: string,
  record: Omit<EntryRecord, "sha256">,
): string {
  const library = path.join(built, libraryName);
  const sum = sha256(fs.readFileSync(library));
  fs.chmodSync(library, 0o600);
  fs.writeFileSync(path.join(built, recordName), JSON.stringify({ ...record, sha256: sum }), { mode: 0o600 });
  for (const name of fs.readdirSync(built))
    if (name !== libraryName && name !== recordName) fs.rmSync(path.join(built, name), { recursive: true });
  const entry = path.join(folder, key);
  for (let isLast = false; ; isLast = true) {
    try {
      fs.renameSync(built, entry);
      break;
    } catch (error) {
      const other = findEntry(folder, key);
      if (other === null && isLast) throw error;
      if (other !== null) {
        fs.rmSync(built, { recursive: true, force: true });
        return other;
      }
      // What is there is damaged.
      removeEntry(folder, key);
    }
  }
  try {
    prune(folder, key);
  } catch {
    // Too large a cache is no reason to do without the program; the next build tries again.
  }
  return path.join(entry, libraryName);
}

/** Takes something away at once, so that nobody finds half of it. */
function removeEntry(folder: string, name: string): void {
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

const defaultMebibytes = 512;

/** How many bytes entries may take together. */
export function cacheLimit(): number {
  const text = environment("VIBE_RL_CACHE_SIZE");
  if (text === undefined) return defaultMebibytes * 2 ** 20;
  const mebibytes = Number(text);
  if (mebibytes >= 0 && Number.isFinite(mebibytes)) return mebibytes * 2 ** 20;
  return fail("VIBE_RL_CACHE_SIZE", `must be a number of mebibytes, got ${JSON.stringify(text)}`, null);
}

/** Removes what was not used for longest until the rest fits; `keep` stays. */
function prune(folder: string, keep: string): void {
  removeAbandoned(folder);
  const entries = entriesIn(folder).sort((a, b) => a.usedAt - b.usedAt);
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  const limit = cacheLimit();
  for (const { key, bytes } of entries) {
    if (total <= limit) return;
    if (key === keep) continue;
    removeEntry(folder, key);
    total -= bytes;
  }
}

function removeAbandoned(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    if (!isScrap(name)) continue;
    try {
      if (Date.now() - fs.statSync(path.join(folder, name)).mtimeMs > abandonedMs) removeEntry(folder, name);
    } catch {
      // It is gone already.
    }
  }
}

function entriesIn(folder: string): CacheEntry[] {
  return namesIn(folder)
    .filter(isKey)
    .flatMap((key) => {
      const entry = path.join(folder, key);
      try {
        const [library, record] = [libraryName, recordName].map((name) =>
          fs.statSync(path.join(entry, name)),
        );
        const known = readRecord(path.join(entry, recordName));
        const damaged = { program: "(damaged)", compiler: "", sha256: "" };
        return [{ ...(known ?? damaged), key, bytes: library.size + record.size, usedAt: record.mtimeMs }];
      } catch {
        // It is being removed.
        return [];
      }
    });
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

/** What the cache has, the newest first. */
export function listCache(): {
  readonly folder: string;
  readonly limit: number;
  readonly entries: readonly CacheEntry[];
} {
  const folder = cachePath();
  return { folder, limit: cacheLimit(), entries: entriesIn(folder).sort((a, b) => b.usedAt - a.usedAt) };
}

/** Removes everything that is the cache's own, and nothing that is somebody else's; returns what there was. */
export function clearCache(): { readonly folder: string; readonly entries: number; readonly bytes: number } {
  const folder = cachePath();
  const entries = entriesIn(folder);
  for (const name of namesIn(folder)) {
    if (isMemo(name)) fs.rmSync(path.join(folder, name), { force: true });
    else if (isKey(name) || isScrap(name)) removeEntry(folder, name);
  }
  return { folder, entries: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
}
