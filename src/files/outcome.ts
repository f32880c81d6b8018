// How a run ended: a small file in its logs, for whoever looks at the run later. While a run goes on there is none.
import { fs, path } from "../node/index.js";
import { startOfFile } from "./folders.js";
import { isRecord } from "./json.js";
import { replaceFile } from "./replace.js";

/** The ends that a run can come to; a process that was killed notes none of them. */
export const outcomeStates = ["done", "stopped", "diverged", "failed"] as const;

export interface Outcome {
  readonly state: (typeof outcomeStates)[number];
  /** The step that the run had reached. */
  readonly step: number;
  /** What went wrong, if something did. */
  readonly message?: string;
}

const fileIn = (logs: string): string => path.join(logs, "outcome.json");

/** Notes how a run ended in the folder of its logs. */
export function noteOutcome(logs: string, outcome: Outcome): void {
  replaceFile(fileIn(logs), `${JSON.stringify({ ...outcome, time: new Date().toISOString() })}\n`);
}

/** Forgets how a run ended, since it goes on. */
export function forgetOutcome(logs: string): void {
  fs.rmSync(fileIn(logs), { force: true });
}

/** How a run ended; `null` if it goes on, was killed, or is older than this note. */
export function readOutcome(logs: string): (Outcome & { readonly time: string }) | null {
  try {
    const value: unknown = JSON.parse(startOfFile(fileIn(logs), 65_536));
    if (!isRecord(value)) return null;
    const { state, step, message, time } = value;
    const known = outcomeStates.find((one) => one === state);
    if (known === undefined || typeof step !== "number" || typeof time !== "string") return null;
    return { state: known, step, time, ...(typeof message === "string" ? { message } : {}) };
  } catch {
    return null;
  }
}
