// Random programs, divided over blocks at random, give the interpreter's answers; `npm run test:ptx` runs many more.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NDArray } from "../../../src/array/index.js";
import { jit, np, random, registerBackend, type Program } from "../../../src/array/index.js";
import { ptxRenderer } from "../../../src/compiler/index.js";
import { simplifyProgram } from "../../../src/compiler/simplify/simplify.js";
import { kernelsIn } from "../../../src/compiler/walk.js";
import { differences } from "../../closeness.js";
import { isWithoutNative } from "../../device/native.js";
import { compileFor } from "../forms.js";
import { argumentsFor, mixedPrograms, toFunction } from "../mixedPrograms.js";
import { stateArguments, statePrograms, toStateFunction } from "../statePrograms.js";
import { expectTogether, type BatchedCase } from "../together.js";
import { emulatedPtx, target } from "./backend.js";
import { divideAtRandom, dividedDevice, scattering } from "./divided.js";
import { largePrograms } from "./largePrograms.js";

const isWhole = process.env.VIBE_RL_PTX_TESTS === "all";
const rounds = isWhole ? 40 : 1;
/** Programs of one round, which are built together. */
const programs = isWhole ? 6 : 4;
/** Words of memory that are spoilt: programs of a round have a few kilobytes, and blocks copy slowly. */
const words = 2 ** 14;
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
    it("exchange something", () => {
      const divide = (program: Program) => divideAtRandom(simplifyProgram(program), 4, 1);
      for (const { f, args } of largePrograms()) {
        const { steps } = compileFor({
          ...ptxRenderer({ multiprocessors: 4, sharedBytes: 2 ** 16 }),
          divide,
        })(f, ...args);
        expect(kernelsIn(steps).map(({ kind }) => kind)).toContain("exchange");
      }
    });

    it.each([0, 1])("scatter sums in boxes of any width, along dimension %i", (dimension) => {
      const name = `scattering ptx ${dimension}`;
      const divide = (program: Program) => scattering(simplifyProgram(program), 4, dimension);
      const own = { ...target, multiprocessors: 4, threads: 128 };
      registerBackend(emulatedPtx(name, own, { name, divide }), { isDefault: false });
      // Whole numbers: sums are the same in any order.
      const whole = (key: number, columns: number) =>
        random.randint(random.key(key), [16, columns], -9, 9).astype("float32");
      const f = (x: NDArray, y: NDArray, z: NDArray) => {
        const [a, b, c] = [x, y, z].map((one) => np.sqrt(np.abs(one)).mul(0).add(one));
        return [a.transpose().matmul(b), b.transpose().matmul(c), c.transpose().matmul(a)].map((sum) =>
          np.abs(sum).add(1),
        );
      };
      const args = [whole(1, 8), whole(2, 12), whole(3, 20)] as const;
      const { steps } = compileFor({ ...ptxRenderer(own), divide })(f, ...args);
      expect(
        kernelsIn(steps).filter((kernel) => kernel.kind === "exchange" && kernel.combine === "add"),
      ).not.toEqual([]);
      const expected = jit(f, { device: "interpreter" })(...args);
      expect(differences(jit(f, { device: name })(...args), expected, {})).toEqual([]);
    });

    it.for([...Array(rounds).keys()])("over all dtypes (%i)", (round) =>
      expectTogether(mixed(round, programs), dividedDevice([2, 3, 4, 5][round % 4], round), words),
    );

    it.for([...Array(rounds).keys()])("along two axes (%i)", (round) =>
      expectTogether(
        mixed(3000 + round, programs),
        dividedDevice([4, 6, 8][round % 3], 3001 + 2 * round),
        words,
      ),
    );

    it.for([...Array(isWhole ? rounds : 0).keys()])("of larger arrays (%i)", (round) =>
      expectTogether(
        isWhole ? largePrograms() : largePrograms().slice(-3),
        dividedDevice([4, 8, 16, 2][round % 4], 2000 + round),
      ),
    );

    it.for([...Array(rounds).keys()])("with states that loops and branches overwrite (%i)", (round) =>
      expectTogether(states(round, programs), dividedDevice(3, 1000 + round), words),
    );
  },
);
