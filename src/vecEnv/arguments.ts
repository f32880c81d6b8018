// Arguments of vectors of environments, and what is wrong with them.
import { check, describe, fail, rules } from "../array/index.js";
import type { GroupState } from "./group.js";

/** How long environments may take; timers know no longer times than these. */
const patience = rules.rule(
  "a positive number below 2147483648, or Infinity",
  (value) => typeof value === "number" && value > 0 && (value < 2 ** 31 || value === Infinity),
);

interface Limits {
  readonly timeoutMs: number;
  readonly maxEpisodeSteps: number | undefined;
}

/** Refuses limits that are none. */
export function checkLimits(operation: string, { timeoutMs, maxEpisodeSteps }: Limits): void {
  check(operation, "timeoutMs", timeoutMs, patience);
  if (maxEpisodeSteps !== undefined) check(operation, "maxEpisodeSteps", maxEpisodeSteps, rules.whole(1));
}

/** Seeds and what is added to them for each environment are whole numbers. */
export function checkSeed(operation: string, seed: number | undefined): void {
  if (seed !== undefined) check(operation, "the seed of reset", seed, rules.whole(0));
}

export function checkIndex(operation: string, index: number, count: number): void {
  if (!Number.isInteger(index) || index < 0 || index >= count) {
    fail(operation, `render takes the index of an environment, 0 to ${count - 1}, got ${describe(index)}`);
  }
}

/** The states of environments, one for each. */
export function checkStates(operation: string, states: unknown, count: number): readonly GroupState[] {
  const isFit =
    Array.isArray(states) &&
    states.length === count &&
    states.every((each) => typeof each === "object" && each !== null && "state" in each && "steps" in each);
  if (!isFit) {
    fail(operation, `setState takes what getState gives for ${count} environments, got ${describe(states)}`);
  }
  return states as GroupState[];
}
