// Where built programs are kept between runs of Node: a folder that only its user can write to.
import { environment } from "../../array/index.js";
import { fs, os, path, platform, processIdentity } from "../../node/index.js";

/** The folder: VIBE_RL_CACHE_DIR, or where this system has its caches. */
export function cachePath(): string {
  const own = environment("VIBE_RL_CACHE_DIR");
  if (own !== undefined) return path.resolve(own);
  const shared = environment("XDG_CACHE_HOME");
  // A relative one is to be ignored, says the specification.
  if (shared !== undefined && path.isAbsolute(shared)) return path.join(shared, "vibe-rl");
  const home = homeFolder();
  if (home === null) return path.join(os.tmpdir(), `vibe-rl-${processIdentity().user ?? "user"}`);
  return platform() === "darwin"
    ? path.join(home, "Library", "Caches", "vibe-rl")
    : path.join(home, ".cache", "vibe-rl");
}

/** Where the user is at home; null for users of containers who are nowhere. */
function homeFolder(): string | null {
  try {
    const home = os.homedir();
    return path.isAbsolute(home) ? home : null;
  } catch {
    return null;
  }
}

/** What keeps the folder from being used for what will run in this process; null if nothing does. It may be missing. */
export function folderProblem(folder: string): string | null {
  let status;
  try {
    status = fs.statSync(folder);
  } catch (error) {
    return codeOf(error) === "ENOENT" ? null : reasonOf(error);
  }
  const { user } = processIdentity();
  if (!status.isDirectory()) return "it is not a folder";
  // Windows has no such users and modes; its folders are their user's from the start.
  if (user === null) return null;
  if (status.uid !== user) return `it belongs to another user (${status.uid}, this is ${user})`;
  if ((status.mode & 0o022) !== 0) return `others can write to it: chmod go-w ${folder}`;
  return null;
}

/** Makes the folder if it is missing; returns what keeps it from being used, null if nothing does. */
export function prepareFolder(folder: string): string | null {
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    return reasonOf(error);
  }
  return folderProblem(folder);
}

/** The system's code of an error: ENOSPC. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && typeof (error as { readonly code?: unknown }).code === "string"
    ? (error as { readonly code: string } & Error).code
    : null;

const reasons: Readonly<Partial<Record<string, string>>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EROFS: "the file system can only be read",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
};

/** An error of the system in words. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const reason = code === null ? undefined : reasons[code];
  if (reason !== undefined) return `${reason} (${code})`;
  return error instanceof Error ? error.message : String(error);
}

/** Whether a compiler's output tells of a place where nothing can be written, rather than of its program. */
export const tellsOfPlace = (output: string): boolean =>
  /no space left on device|read-only file system|disk quota exceeded|permission denied|file too large|operation not permitted/i.test(
    output,
  );
