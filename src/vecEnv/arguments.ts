// Arguments of vectors of environments, and what is wrong with them.
import { describe, fail, tellNearest } from "../array/index.js";
import type { GroupState } from "./group.js";

/** Refuses options that nobody knows. */
export function checkOptions(operation: string, options: object, known: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    fail(operation, `takes options as an object, got ${describe(options)}`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    fail(operation, `there is no option ${JSON.stringify(unknown)}; ${tellNearest(unknown, known)}`);
  }
}

export function checkCount(operation: string, name: string, value: unknown): void {
  if (!Number.isSafeInteger(value) || (value as number) < 1) {
    fail(operation, `${name} must be a whole number of at least 1, got ${describe(value)}`);
  }
}

/** Seeds and what is added to them for each environment are whole numbers. */
export function checkSeed(operation: string, seed: number | undefined): void {
  if (seed !== undefined && (!Number.isSafeInteger(seed) || seed < 0)) {
    fail(operation, `the seed of reset must be a whole number of at least 0, got ${describe(seed)}`);
  }
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
