// Results that may be promises: what is at hand at once stays so.
import type { MaybePromise } from "./types.js";

export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

/** Calls `visit` for 0 … count − 1; a promise only where one of the calls gives one. */
export function visitAll(count: number, visit: (index: number) => MaybePromise<void>): MaybePromise<void> {
  let pending: Promise<void>[] | null = null;
  for (let index = 0; index < count; index++) {
    if (pending === null) {
      const answer = visit(index);
      if (isPromise(answer)) pending = [answer];
    } else {
      pending.push(visitLater(visit, index));
    }
  }
  return pending === null ? undefined : Promise.all(pending).then(() => undefined);
}

/** What is at hand at once, or comes within a limit; where it does not, `late` says what to throw. */
export function within<T>(limitMs: number, result: MaybePromise<T>, late: () => Error): MaybePromise<T> {
  if (limitMs === Infinity || !isPromise(result)) return result;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  return Promise.race([result, end]).finally(() => clearTimeout(timer));
}

/** A call whose exception is a rejection, so that the promises before it are still waited for. */
async function visitLater(visit: (index: number) => MaybePromise<void>, index: number): Promise<void> {
  await visit(index);
}
