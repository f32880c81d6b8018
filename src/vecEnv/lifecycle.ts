// The life of a vector of environments: reset comes before step, one call ends before the next, and close ends it.
import { fail } from "../array/index.js";
import { messageOf } from "./errors.js";
import { isPromise } from "./promises.js";
import type { MaybePromise } from "./types.js";

interface CallOptions {
  /** Whether episodes must have begun. */
  readonly needsReset?: boolean;
  /** Whether episodes have begun after it. */
  readonly begins?: boolean;
  /** Whether the environments are of no more use when it fails. Default true. */
  readonly breaks?: boolean;
}

/** Refuses calls that come at the wrong time, and remembers a failure. */
export class Lifecycle {
  private hasBegun = false;
  private current: string | null = null;
  private failure: string | null = null;
  private isClosed = false;

  constructor(private readonly operation: string) {}

  get closed(): boolean {
    return this.isClosed;
  }

  /** Runs one call; a promise only where its work gives one. */
  call<T>(method: string, work: () => MaybePromise<T>, options: CallOptions = {}): MaybePromise<T> {
    this.check(method, options);
    this.current = method;
    try {
      const result = work();
      if (!isPromise(result)) {
        this.end(options);
        return result;
      }
      return result.then(
        (value) => {
          this.end(options);
          return value;
        },
        (error: unknown) => this.break(error, options),
      );
    } catch (error) {
      return this.break(error, options);
    }
  }

  /** True the first time. */
  close(): boolean {
    const isFirst = !this.isClosed;
    this.isClosed = true;
    return isFirst;
  }

  private check(method: string, { needsReset = false }: CallOptions): void {
    if (this.isClosed) fail(this.operation, `${method}() comes after close()`);
    if (this.failure !== null) {
      fail(
        this.operation,
        `${method}() comes after a failure; make the environments again (${this.failure})`,
      );
    }
    if (this.current !== null) {
      fail(this.operation, `${method}() comes before ${this.current}() has ended; await that first`);
    }
    if (needsReset && !this.hasBegun) fail(this.operation, `${method}() comes before reset()`);
  }

  private end({ begins = false }: CallOptions): void {
    this.current = null;
    this.hasBegun ||= begins;
  }

  private break(error: unknown, { breaks = true }: CallOptions): never {
    this.current = null;
    if (breaks) this.failure = messageOf(error);
    throw error;
  }
}
