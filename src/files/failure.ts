// Why something could not be read or written, in words that say what to do.

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space and try again",
  EDQUOT: "your disk quota is used up; free some space and try again",
  EROFS: "the file system is read-only; choose another directory",
  EACCES: "permission denied; choose another directory or change its permissions",
  EPERM: "permission denied; choose another directory or change its permissions",
  ENOENT: "there is no such file or directory",
  ENOTDIR: "a file is where a directory should be; choose another path or move the file away",
  EISDIR: "a directory is where a file should be; choose another path or move the directory away",
  EEXIST: "something is there already; choose another path or move it away",
  ENOTEMPTY: "there is a directory with files already; choose another path or move it away",
  EMFILE: "too many files are open; close some or raise the limit",
  EIO: "the disk reported an error; check the device",
  ELOOP: "symbolic links lead round in a circle; remove one of them",
  ENAMETOOLONG: "the name is too long for the file system; choose a shorter one",
  EINVAL: "the file system does not take this name or operation; choose another path",
};

/** The code of a failed system call, as `ENOSPC`; `null` for other errors. */
export function failureCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** A failed system call as a sentence that says what to do; other errors as their message. */
export function explainFailure(error: unknown): string {
  const code = failureCode(error);
  if (code !== null && code in reasons) return `${reasons[code]} (${code})`;
  return error instanceof Error ? error.message : String(error);
}
