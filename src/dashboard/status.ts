// What becomes of a run: it goes on, or it has ended in one way or another.
import { lockOwner, readOutcome } from "../files/index.js";

export const statuses = ["running", "done", "stopped", "diverged", "failed", "stale", "empty"] as const;
export type Status = (typeof statuses)[number];

export interface Standing {
  readonly status: Status;
  /** What there is to say about it; null where the word says it all. */
  readonly message: string | null;
}

/** What is known of a run besides its logs folder. */
interface Reach {
  /** The last step with a record; null without any. */
  readonly step: number | null;
  /** How many steps the run was to have. */
  readonly total: number | null;
  /** Steps of the smallest piece of work, which a run has a whole number of. */
  readonly unit: number;
}

/** How a run stands, from the lock on its logs, from the note of its end, and, without one, from how far it came. */
export function standingOf(logs: string, { step, total, unit }: Reach): Standing {
  const owner = lockOwner(logs);
  if (owner?.isAlive === true) {
    return {
      status: "running",
      message: owner.isHere ? null : `on ${owner.host}; whether it still runs can only be seen there`,
    };
  }
  if (owner !== null)
    return { status: "stale", message: `its process ${owner.pid} has gone without ending the run` };
  const outcome = readOutcome(logs);
  if (outcome !== null) return { status: outcome.state, message: outcome.message ?? null };
  if (step === null) return { status: "empty", message: "it has no records yet" };
  return total !== null && step > total - unit
    ? { status: "done", message: null }
    : { status: "stopped", message: null };
}
