// Batches of cases that compute with functions of numbers, for devices on which a program costs a lot to build.
import { expect } from "vitest";
import { jit, np, random, type Array, type DType } from "vibe-rl/array";
import { goldenCases } from "../goldenCases/index.js";
import { exactly, type Computation } from "./compare.js";
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
import { casesOf, named, type Batches } from "./together.js";

/** Elements of an array from a place on, as many as each of some lengths: vectors of every width, and what is left. */
const partsOf = (x: Array, start: number): Array[] =>
  [1, 3, 5, 11, 29].map((length) => x.slice(`${start}:${start + length}`));

/** Each by the fact that it states. Programs keep subnormal numbers: VIBE_RL_SUBNORMALS is "keep". */
export const functionBatches: Batches = {
  "give the golden figures": () => {
    return Object.entries(goldenCases).flatMap(([fact, cases]) =>
      cases.map((one) => ({ ...one, name: `${fact}: ${one.name}` })),
    );
  },

  "have the bits of JAX's random numbers, whatever the length": () => {
    const draws: Computation = (key) =>
      lengths.map((length) => [
        random.bits(key, [length]),
        random.permutation(key, length),
        random.split(key, length),
      ]);
    return [
      { name: "draws", f: draws, args: [random.key(3)] },
      { name: "a long permutation", f: (key) => random.permutation(key, 1000), args: [random.key(4)] },
    ];
  },

  "compute functions of floats as accurately, also of subnormal numbers where they are kept": () => {
    const exact = { ...exactly, signedZeros: true };
    const near = { ulps: 4, signedZeros: true };
    const pairs = { special: specialPairs, mixed: mixedPairs, multiples };
    return [
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
    ];
  },

  "compute functions of floats alike for every length": (device) => {
    const functions = { ...exactUnary, ...withAnyZero, ...smoothUnary };
    const parts = partsOf(denseFloats, 100);
    const all: Computation = (x) => Object.values(functions).map((f) => f(x));
    const whole = jit(all, { device })(denseFloats.slice("100:133")) as Array[];
    return parts.map((part) => ({
      name: `of ${part.shape[0]}`,
      f: all,
      args: [part],
      check: (results) =>
        (results as Array[]).forEach((result, at) =>
          expect(result.toArray(), Object.keys(functions)[at]).toEqual(
            whole[at].slice(`:${part.shape[0]}`).toArray(),
          ),
        ),
    }));
  },

  "compute with integers and bool, and convert between all dtypes, to the bit": () => {
    return [
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
    ];
  },
};
