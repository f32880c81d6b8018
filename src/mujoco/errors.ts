// Errors of MuJoCo environments: what was given, what was expected, what to do.

/** A MuJoCo environment that cannot do what it was asked. */
export class MujocoError extends Error {
  override readonly name = "MujocoError";
}

/** Refuses, with the name of what refuses. */
export function fail(operation: string, reason: string, options?: { readonly cause: unknown }): never {
  throw new MujocoError(`${operation}: ${reason}`, options);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
