// Functions of the user that a class runner calls: any number for each event, one after the other.
import { fail } from "../../array/index.js";
import type { MaybePromise } from "../../vecEnv/index.js";

/** The figures of an iteration by their tags, such as `stats["rollout/mean_reward"]`. */
export type Stats = Record<string, number>;

/** What a runner calls back with at each event; a promise is waited for. */
export interface Events<Runner, Rollout> {
  /** Before an iteration. */
  pre_iteration: (runner: Runner) => unknown;
  /** After an iteration, with all its figures. */
  post_iteration: (runner: Runner, stats: Stats) => unknown;
  /** Before the environments are played. */
  pre_rollout: (runner: Runner) => unknown;
  /** After they were played, with what happened. */
  post_rollout: (runner: Runner, rollout: Rollout) => unknown;
  /** Before the agent learns. */
  pre_update: (runner: Runner) => unknown;
  /** After it has learned, with the figures of that. */
  post_update: (runner: Runner, stats: Stats) => unknown;
}

export type EventName = keyof Events<unknown, unknown>;

export const eventNames = [
  "pre_iteration",
  "post_iteration",
  "pre_rollout",
  "post_rollout",
  "pre_update",
  "post_update",
] as const satisfies readonly EventName[];

/** A callback has thrown; `cause` is what it threw. */
export class CallbackError extends Error {
  override readonly name = "CallbackError";

  constructor(
    message: string,
    /** The event that it was called for. */
    readonly event: EventName,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

type Callback = (...args: readonly unknown[]) => unknown;

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value;

/** Callbacks by their events, in the order in which they were added. */
export class Callbacks<Runner, Rollout> {
  private readonly lists = new Map<string, Callback[]>();

  constructor(private readonly operation: string) {}

  add(event: unknown, callback: unknown): void {
    if (!eventNames.some((name) => name === event)) {
      const name = typeof event === "string" ? JSON.stringify(event) : typeof event;
      fail(this.operation, `there is no event ${name}; the events are ${eventNames.join(", ")}`);
    }
    if (typeof callback !== "function") {
      fail(this.operation, `the callback of ${event as string} must be a function, got ${typeof callback}`);
    }
    const list = this.lists.get(event as string) ?? [];
    this.lists.set(event as string, [...list, callback as Callback]);
  }

  /** Whether anybody listens to an event. */
  has(event: EventName): boolean {
    return this.lists.has(event);
  }

  /** Calls what was added for an event. A promise only if one of them gives one: most are over at once. */
  fire<E extends EventName>(event: E, ...args: Parameters<Events<Runner, Rollout>[E]>): MaybePromise<void> {
    const list = this.lists.get(event);
    return list === undefined ? undefined : callAll(event, list, 0, args);
  }
}

function callAll(
  event: EventName,
  list: readonly Callback[],
  from: number,
  args: readonly unknown[],
): MaybePromise<void> {
  for (let at = from; at < list.length; at++) {
    const failed = (cause: unknown): never => {
      throw errorOf(event, list, at, cause);
    };
    let result: unknown;
    try {
      result = list[at](...args);
    } catch (cause) {
      failed(cause);
    }
    if (isPromise(result)) {
      return Promise.resolve(result).then(() => callAll(event, list, at + 1, args), failed);
    }
  }
}

function errorOf(event: EventName, list: readonly Callback[], at: number, cause: unknown): CallbackError {
  const { name } = list[at];
  const place = list.length === 1 ? "" : ` (number ${at + 1} of ${list.length})`;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const which = name === "" ? "the callback" : `the callback ${name}`;
  return new CallbackError(`${which} of ${event}${place} threw: ${reason}`, event, cause);
}
