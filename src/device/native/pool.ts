// The threads that native programs share.
import { environment, fail } from "../../array/index.js";
import type { Steps } from "./commands.js";
import type { Koffi } from "./koffi.js";

/** How many threads a program may have: what was asked for, or VIBE_RL_THREADS; null: as many as help. */
export function threadsWanted(asked: number | null): number | null {
  if (asked !== null) return asked;
  const text = environment("VIBE_RL_THREADS");
  if (text === undefined) return null;
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  return fail("VIBE_RL_THREADS", `must be a whole number of at least 1, got ${JSON.stringify(text)}`, null);
}

/** The address of a set of threads; null: the one that calls does all the work. */
// oxlint-disable-next-line require-yield
export function* poolOf(
  _koffi: Koffi,
  asked: number | null,
  _flags: readonly string[],
): Steps<bigint | null> {
  threadsWanted(asked);
  return null;
}
