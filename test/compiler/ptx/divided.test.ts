// Random programs, divided over blocks at random, give the interpreter's answers; `npm run test:ptx` runs many more.
import fc from "fast-check";
import { describe, it } from "vitest";
import { isWithoutNative } from "../../device/native.js";
import { argumentsFor, mixedPrograms, toFunction } from "../mixedPrograms.js";
import { stateArguments, statePrograms, toStateFunction } from "../statePrograms.js";
import { expectTogether, type BatchedCase } from "../together.js";
import { dividedDevice } from "./divided.js";

const rounds = process.env.VIBE_RL_PTX_TESTS === "all" ? 20 : 1;
const tolerance = { rtol: 1e-5, atol: 2e-5 };

const mixed = (seed: number, count: number): BatchedCase[] =>
  fc.sample(mixedPrograms(), { numRuns: count, seed }).map((program, at) => ({
    name: fc.stringify(program),
    f: toFunction(program),
    args: argumentsFor(program, seed + at),
    tolerance,
  }));

const states = (seed: number, count: number): BatchedCase[] =>
  fc.sample(statePrograms(), { numRuns: count, seed }).map((program, at) => ({
    name: fc.stringify(program),
    f: toStateFunction(program),
    args: stateArguments(seed + at),
  }));

describe.skipIf(isWithoutNative("test/compiler/ptx/divided.test.ts"))(
  "random programs, divided over blocks",
  { timeout: 600_000 },
  () => {
    it.for([...Array(rounds).keys()])("over all dtypes (%i)", (round) =>
      expectTogether(mixed(round, 12), dividedDevice([2, 3, 4, 5][round % 4], round)),
    );

    it.for([...Array(rounds).keys()])("with states that loops and branches overwrite (%i)", (round) =>
      expectTogether(states(round, 12), dividedDevice(3, 1000 + round)),
    );
  },
);
