// Programs in C compute numbers as the interpreter does, many of them in one build. `npm run test:native` runs all tests of
// this folder on C, with a build for each program.
import { afterEach, describe, expect, it, vi } from "vitest";
import { debug, jit, lax, np, random, type Array, type DType } from "vibe-rl/array";
import { isWithoutNative } from "../device/native.js";
import { goldenCases } from "../goldenCases/index.js";
import type { Computation } from "./compare.js";
import {
  exactBinary,
  exactUnary,
  mixedPairs,
  multiples,
  productUnary,
  sampleFor,
  smoothBinary,
  smoothUnary,
  specialPairs,
  withAnyZero,
} from "./floatFunctions.js";
import { binaryOf, conversionSamples, unaryOf } from "./integerFunctions.js";
import { denseFloats, dtypes, edgeIntegers, lengths, pairsOf } from "./samples.js";
import { casesOf, expectTogether, named, type BatchedCase } from "./together.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const native = (cases: readonly BatchedCase[]): void => expectTogether(cases, "native");

/** Elements of an array from a place on, as many as each of some lengths: vectors of every width, and what is left. */
const partsOf = (x: Array, start: number): Array[] =>
  [1, 3, 5, 11, 29].map((length) => x.slice(`${start}:${start + length}`));

describe.skipIf(isWithoutNative("test/compiler/native.test.ts"))(
  "programs in C",
  { timeout: 600_000 },
  () => {
    it("give the golden figures", () => {
      native(
        Object.entries(goldenCases).flatMap(([fact, cases]) =>
          cases.map((one) => ({ ...one, name: `${fact}: ${one.name}` })),
        ),
      );
    });

    it("have the bits of JAX's random numbers, whatever the length", () => {
      const draws: Computation = (key) =>
        lengths.map((length) => [
          random.bits(key, [length]),
          random.permutation(key, length),
          random.split(key, length),
        ]);
      native([
        { name: "draws", f: draws, args: [random.key(3)] },
        { name: "a long permutation", f: (key) => random.permutation(key, 1000), args: [random.key(4)] },
      ]);
    });

    it("compute functions of floats as accurately, also of subnormal numbers where they are kept", () => {
      vi.stubEnv("VIBE_RL_SUBNORMALS", "keep");
      const exact = { signedZeros: true };
      const near = { ulps: 4, signedZeros: true };
      const pairs = { special: specialPairs, mixed: mixedPairs, multiples };
      native([
        ...casesOf(exactUnary, [denseFloats], exact),
        ...casesOf(withAnyZero, [denseFloats], {}),
        ...Object.entries(smoothUnary).map(([name, f]) => ({
          name,
          f,
          args: [sampleFor(name)],
          tolerance: near,
        })),
        ...Object.entries(productUnary).map(([name, { f, atol }]) => ({
          ...{ name, f, args: [denseFloats], tolerance: { ulps: 4, atol } },
        })),
        ...Object.entries(pairs).flatMap(([kind, args]) => [
          ...named(kind, casesOf(exactBinary, args, exact)),
          ...named(kind, casesOf(smoothBinary, args, near)),
          ...named(kind, casesOf({ maximum: np.maximum, minimum: np.minimum }, args, {})),
        ]),
      ]);
    });

    it("compute functions of floats alike for every length", () => {
      vi.stubEnv("VIBE_RL_SUBNORMALS", "keep");
      const functions = { ...exactUnary, ...withAnyZero, ...smoothUnary };
      const parts = partsOf(denseFloats, 100);
      const all: Computation = (x) => Object.values(functions).map((f) => f(x));
      const whole = jit(all, { device: "native" })(denseFloats.slice("100:133")) as Array[];
      native(
        parts.map((part) => ({
          name: `of ${part.shape[0]}`,
          f: all,
          args: [part],
          check: (results) =>
            (results as Array[]).forEach((result, at) =>
              expect(result.toArray(), Object.keys(functions)[at]).toEqual(
                whole[at].slice(`:${part.shape[0]}`).toArray(),
              ),
            ),
        })),
      );
    });

    it("compute with integers and bool, and convert between all dtypes, to the bit", () => {
      vi.stubEnv("VIBE_RL_SUBNORMALS", "keep");
      native([
        ...Object.entries(edgeIntegers).flatMap(([dtype, numbers]) => {
          const pairs = pairsOf(numbers, dtype as DType);
          // Quotients and roots are floats.
          const near = { ulps: 1 };
          return [
            ...named(dtype, casesOf(unaryOf(dtype as DType), [pairs[0]], near)),
            ...named(dtype, casesOf(binaryOf(dtype as DType), pairs, near)),
          ];
        }),
        ...Object.entries(conversionSamples).flatMap(([from, x]) =>
          dtypes.map((to) => ({
            name: `${from} to ${to} and back`,
            f: (y: Array) => [
              y.astype(to),
              y.astype(to).astype(from as DType),
              ...partsOf(np.tile(y, 20), 0).map((z) => z.astype(to)),
            ],
            args: [x],
          })),
        ),
      ]);
    });

    it("print in order from loops and branches, and stop where printing fails", () => {
      const lines: string[] = [];
      const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
      const f = (x: Array) =>
        lax.foriLoop(
          0,
          3,
          (i, y: Array) => {
            debug.print("{i}: {y}", { i, y });
            return lax.cond(
              i.equal(1),
              (z: Array) => {
                debug.print("one");
                return z.mul(2);
              },
              (z: Array) => z.add(1),
              y,
            );
          },
          x,
        );
      const run = jit(f, { device: "native" });
      expect(run(np.array([1, 2])).toArray()).toEqual([5, 7]);
      expect(lines).toEqual(["0: [1,2]", "1: [2,3]", "one", "2: [4,6]"]);
      const [smallest, one] = Float64Array.of(Number.MIN_VALUE, 1);
      log.mockImplementation(() => {
        throw new Error(smallest * one === 0 ? "JavaScript loses small numbers" : "no paper");
      });
      expect(() => run(np.array([1, 2]))).toThrow("no paper");
    });
  },
);
