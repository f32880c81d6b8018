// Random programs on a device, many in one: as many as VIBE_RL_RANDOM_PROGRAMS says, others with each VIBE_RL_RANDOM_SEED.
import fc from "fast-check";
import { describe, it } from "vitest";
import { argumentsFor, mixedPrograms, toFunction } from "../compiler/mixedPrograms.js";
import { stateArguments, statePrograms, toStateFunction } from "../compiler/statePrograms.js";
import { expectTogether } from "../compiler/together.js";

const count = Number(process.env.VIBE_RL_RANDOM_PROGRAMS ?? 200);
const seed = Number(process.env.VIBE_RL_RANDOM_SEED ?? 1);
const together = 25;
const batches = Array.from({ length: Math.ceil(count / (2 * together)) }, (_, at) => at);

/** Tests that they give the interpreter's answers on a device, unless there is a problem with it. */
export function describeRandomPrograms(device: string, problem: string | null): void {
  describe.skipIf(problem !== null)("random programs", { timeout: 3_600_000 }, () => {
    it.each(batches)("over all dtypes, batch %i", (batch) => {
      const programs = fc.sample(mixedPrograms(), { numRuns: together, seed: 1000 * seed + batch });
      const cases = programs.map((program, at) => ({
        name: JSON.stringify(program),
        f: toFunction(program),
        args: argumentsFor(program, at),
        tolerance: { rtol: 1e-5, atol: 2e-5 },
      }));
      expectTogether(cases, device);
    });

    it.each(batches)("of loops and branches that exchange their states, batch %i", (batch) => {
      const programs = fc.sample(statePrograms(), { numRuns: together, seed: 1000 * seed + batch });
      const cases = programs.map((program, at) => ({
        name: JSON.stringify(program),
        f: toStateFunction(program),
        args: stateArguments(at),
      }));
      expectTogether(cases, device);
    });
  });
}
