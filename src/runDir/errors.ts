// Errors of run directories: what was given, what was expected, what to do.

/** A run directory that could not be made, found, read or written. */
export class RunDirError extends Error {
  override readonly name = "RunDirError";
}
