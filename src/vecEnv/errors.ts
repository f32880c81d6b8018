// What went wrong in one of several environments, by its index.

/** The class of an environment as it reads in a message; empty for plain objects. */
export function classOf(env: object): string {
  const { constructor } = env as { readonly constructor?: { readonly name?: unknown } };
  const name = typeof constructor?.name === "string" ? constructor.name : "";
  return name === "Object" ? "" : name;
}

/** What `VecEnvError` is made of; plain data but for the cause, so that it comes through between threads. */
export interface Failure {
  /** Which environment, from 0 on. */
  readonly index: number;
  /** The class of the environment; empty if it has none. */
  readonly environment: string;
  /** What was wrong, without the environment. */
  readonly reason: string;
  /** What the environment threw, if it did. */
  readonly cause?: unknown;
}

/** An environment of several has failed: it threw, gave what it must not, or never answered. */
export class VecEnvError extends Error {
  override readonly name = "VecEnvError";
  readonly index: number;
  readonly environment: string;
  readonly reason: string;

  constructor(operation: string, { index, environment, reason, cause }: Failure) {
    const called = environment === "" ? "" : ` (${environment})`;
    super(`${operation}: environment ${index}${called}: ${reason}`, cause === undefined ? {} : { cause });
    this.index = index;
    this.environment = environment;
    this.reason = reason;
  }
}

/** The words for an environment that owes an answer when its time is over. */
export const lateReason = (timeoutMs: number): string =>
  `has not answered within ${timeoutMs} ms (timeoutMs)`;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
