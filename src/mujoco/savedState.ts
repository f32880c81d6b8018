// The state of an environment as it is saved, and the check of what is read back.
import { fail } from "./errors.js";
import type { GeneratorState } from "./generator.js";
import type { Words } from "./state.js";

export interface MujocoState {
  readonly task: string;
  readonly physics: Words;
  /** Actions in this episode so far. */
  readonly steps: number;
  readonly hasStarted: boolean;
  readonly random: GeneratorState | null;
}

const isWords = (value: unknown, count: number): boolean =>
  Array.isArray(value) && value.length === count && value.every((word) => word === word >>> 0);

/** Refuses what is not a state of this task. */
export function checkSavedState(operation: string, state: unknown, task: string, words: number): MujocoState {
  const saved = (typeof state === "object" && state !== null ? state : {}) as Partial<MujocoState>;
  if (saved.task !== task) {
    fail(operation, `setState() takes what getState() of ${task} gave, got one of ${String(saved.task)}`);
  }
  if (!isWords(saved.physics, words)) {
    const given = Array.isArray(saved.physics) ? `${saved.physics.length} words` : typeof saved.physics;
    fail(operation, `the saved physics must be ${words} words, got ${given}; was the model another one?`);
  }
  if (
    !Number.isInteger(saved.steps) ||
    typeof saved.hasStarted !== "boolean" ||
    !(saved.random === null || isWords(saved.random, 4))
  ) {
    fail(operation, "the saved state is damaged: steps, hasStarted or random is not what getState() gives");
  }
  return saved as MujocoState;
}
