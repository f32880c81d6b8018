// Keeping the cache small and clean: what is in it, what must go.
import { environment, fail } from "../../array/index.js";
import { fs, path } from "../../node/index.js";
import { readRecord, recordName, removeEntry, type EntryRecord } from "./entries.js";
import { cachePath } from "./folder.js";
import { isProgramFile, readProgram } from "./programs.js";

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

const defaultMebibytes = 512;

/** How many bytes entries may take together. */
export function cacheLimit(): number {
  const text = environment("VIBE_RL_CACHE_SIZE");
  if (text === undefined) return defaultMebibytes * 2 ** 20;
  const mebibytes = Number(text);
  if (mebibytes >= 0 && Number.isFinite(mebibytes)) return mebibytes * 2 ** 20;
  return fail("VIBE_RL_CACHE_SIZE", `must be a number of mebibytes, got ${JSON.stringify(text)}`, null);
}

/** A look at all entries is worth it once in so many builds, measured in parts of their number. */
const entriesPerBuild = 50;
/** Builds since each folder was looked through, and how many entries it had then. */
const looks = new Map<string, { readonly entries: number; readonly builds: number }>();

/** Prunes a folder that got an entry, if not much fewer have come since the last time than there were. */
export function pruneSometimes(folder: string, added: string): void {
  const { entries, builds } = looks.get(folder) ?? { entries: 0, builds: 0 };
  const isDue = (builds + 1) * entriesPerBuild >= entries;
  looks.set(folder, isDue ? { entries: prune(folder, added), builds: 0 } : { entries, builds: builds + 1 });
}

/** Removes what was not used for longest until the rest fits; `keep` stays. Returns how many entries there were. */
function prune(folder: string, keep: string): number {
  removeAbandoned(folder);
  removeOrphans(folder);
  const entries = entriesIn(folder).sort((a, b) => a.usedAt - b.usedAt);
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  const limit = cacheLimit();
  for (const { key, bytes } of entries) {
    if (total <= limit) break;
    if (key === keep) continue;
    removeEntry(folder, key);
    total -= bytes;
  }
  return entries.length;
}

/** Removes what is known of programs whose code is gone. */
function removeOrphans(folder: string): void {
  for (const name of fs.readdirSync(folder).filter(isProgramFile)) {
    const file = path.join(folder, name);
    const library = readProgram(file)?.library;
    if (library === undefined || !fs.existsSync(path.join(folder, library))) fs.rmSync(file, { force: true });
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
        const usedAt = fs.statSync(path.join(entry, recordName)).mtimeMs;
        const sizes = fs.readdirSync(entry).map((name) => fs.statSync(path.join(entry, name)).size);
        const known = readRecord(path.join(entry, recordName));
        const damaged = { program: "(damaged)", compiler: "", sha256: "" };
        return [{ ...(known ?? damaged), key, bytes: sizes.reduce((a, b) => a + b, 0), usedAt }];
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
    if (isMemo(name) || isProgramFile(name)) fs.rmSync(path.join(folder, name), { force: true });
    else if (isKey(name) || isScrap(name)) removeEntry(folder, name);
  }
  return { folder, entries: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
}
