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
  /** Iterations, each a step of all environments, whose actions are random. */
  readonly randomIterations: number;
  /** Iterations before the first one that may be followed by updates. */
  readonly idleIterations: number;
  /** Environment steps of an iteration. */
  readonly stepsPerIteration: number;
  readonly rhythm: Rhythm;
  /** Updates that were made after so many iterations. */
  readonly updatesAt: (iterations: number) => number;
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
  const randomIterations = Math.ceil(warmupSteps / numEnvs);
  const idleIterations = Math.max(0, randomIterations - 1);
  const timesAt = (iterations: number) => Math.floor((iterations * numEnvs) / rhythm.trainFreq);
  return {
    ...{ randomIterations, idleIterations, stepsPerIteration: numEnvs, rhythm },
    updatesAt: (iterations) =>
      iterations <= idleIterations
        ? 0
        : rhythm.gradientSteps * (timesAt(iterations) - timesAt(idleIterations)),
  };
}
