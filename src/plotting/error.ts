// Errors of plotting: what was given, what exists, what to do.

/** A plot or a video that cannot be made as asked. */
export class PlotError extends Error {
  override readonly name = "PlotError";
}

/** Refuses, with the name of the function that the user called. */
export function fail(operation: string, reason: string): never {
  throw new PlotError(`${operation}: ${reason}`);
}

/** Names for a message: `a, b, c`, or `none`. */
export const listed = (names: readonly string[]): string => (names.length === 0 ? "none" : names.join(", "));
