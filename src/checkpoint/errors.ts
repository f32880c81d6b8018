// Errors of checkpoints: what was given, what was expected, what to do.

/** A checkpoint that could not be written, found, read, or fitted to its template. */
export class CheckpointError extends Error {
  override readonly name: string = "CheckpointError";
}

/** A checkpoint whose files are missing, cut short or altered. */
export class DamagedCheckpointError extends CheckpointError {
  override readonly name = "DamagedCheckpointError";
}
