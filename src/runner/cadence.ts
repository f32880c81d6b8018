// When DQN and SAC learn: `gradientSteps` updates after every `trainFreq` environment steps, once the warm-up is over.
import { fail } from "../array/index.js";
import type { RunnerConfig } from "./config.js";

/** What the config of an algorithm says about it. */
export interface Rhythm {
  /** Environment steps, of all environments together, between two times of learning. */
  readonly trainFreq: number;
  /** Updates each time. */
  readonly gradientSteps: number;
}

export interface Cadence {
  /** Turns, each a step of all environments, whose actions are random. */
  readonly randomTurns: number;
  /** Turns before the first one that may be followed by updates. */
  readonly idleTurns: number;
  /** Environment steps of a turn. */
  readonly stepsPerTurn: number;
  readonly rhythm: Rhythm;
  /** Updates that were made after so many turns. */
  readonly updatesAt: (turns: number) => number;
}

/** Actions are random until there are `warmupSteps`; the step that is the last of these is learned from already. */
export function cadenceOf(
  operation: string,
  rhythm: Rhythm,
  { warmupSteps, numEnvs }: RunnerConfig,
): Cadence {
  const most = (numEnvs + rhythm.trainFreq) * rhythm.gradientSteps;
  // The program counts in int32.
  if (most >= 2 ** 31) {
    const { trainFreq, gradientSteps } = rhythm;
    fail(
      operation,
      `cannot count the updates of trainFreq ${trainFreq}, gradientSteps ${gradientSteps} and numEnvs ${numEnvs}: ` +
        "(numEnvs + trainFreq) · gradientSteps must be less than 2 ** 31",
    );
  }
  const randomTurns = Math.ceil(warmupSteps / numEnvs);
  const idleTurns = Math.max(0, randomTurns - 1);
  const timesAt = (turns: number) => Math.floor((turns * numEnvs) / rhythm.trainFreq);
  return {
    ...{ randomTurns, idleTurns, stepsPerTurn: numEnvs, rhythm },
    updatesAt: (turns) =>
      turns <= idleTurns ? 0 : rhythm.gradientSteps * (timesAt(turns) - timesAt(idleTurns)),
  };
}
