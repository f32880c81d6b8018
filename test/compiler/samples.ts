// Numbers to try elementwise functions on, and ways to run them.
import { jit, np, random, type Array, type DType } from "vibe-rl/array";
import type { Computation } from "./compare.js";

/** What compiled programs compute with. */
export const dtypes = ["float32", "int32", "uint32", "uint8", "bool"] as const;

export const range = (from: number, to: number, step = 1): number[] =>
  globalThis.Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step);

const largest = 3.4028234663852886e38;
const bothSigns = (numbers: readonly number[]): number[] => numbers.flatMap((x) => [x, -x]);

/** Floats that functions treat in a way of their own, or are tempted to. */
export const specialFloats: readonly number[] = [
  NaN,
  ...bothSigns([0, 1, 2, 3, 0.5, 1.5, 2.5, Infinity, largest, 1e30]),
  // The smallest subnormal, the largest one, the smallest normal number.
  ...bothSigns([2 ** -149, 2 ** -126 - 2 ** -149, 2 ** -126]),
  // The neighbours of 1; where halves and odd numbers end; where integers overflow.
  ...bothSigns([1 - 2 ** -24, 1 + 2 ** -23, 2 ** 23 - 0.5, 2 ** 24 - 1, 2 ** 24, 2 ** 31, 2 ** 32]),
];

/** Every magnitude of both signs, the neighbourhoods of 0, ±1 and of the zeros of sin and cos, and specials. */
export const denseFloats: Array = np.array(
  Float32Array.from([
    ...specialFloats,
    ...bothSigns(range(-149, 128).flatMap((exponent) => [1, 1.19, 1.41, 1.68].map((x) => x * 2 ** exponent))),
    ...range(-20, 20, 0.0173),
    ...range(-110, 110, 0.173),
    ...range(-80, 81).map((quarter) => quarter * (Math.PI / 2)),
    ...range(1, 24, 0.1).flatMap((bits) => bothSigns([1 - 2 ** -bits, 1 + 2 ** -bits])),
  ]),
);

/** An array of numbers drawn from a few, so that there are ties. */
export const awkwardFloats = (shape: readonly number[], few: readonly number[], seed = 1): Array =>
  np.array(Float32Array.from(few)).slice(random.randint(random.key(seed), shape, 0, few.length));

/** Numbers of a dtype near its bounds, around zero, and such that products of two wrap around. */
export const edgeIntegers: Record<"int32" | "uint32" | "uint8" | "bool", readonly number[]> = {
  int32: [
    ...[0, 1, 2, 3, 7, 10, 31, 32, 33, 40, 255, 256, 46341, 65536, 0x7ffffffe, 0x7fffffff],
    ...[-1, -2, -3, -7, -10, -31, -32, -128, -65537, -0x7fffffff, -0x80000000],
  ],
  uint32: [
    ...[0, 1, 2, 3, 7, 10, 31, 32, 33, 40, 255, 256, 65535, 65536],
    ...[0x7fffffff, 0x80000000, 0x80000001, 0xfffffff0, 0xfffffffe, 0xffffffff],
  ],
  uint8: [0, 1, 2, 3, 7, 8, 10, 15, 16, 17, 31, 32, 40, 100, 127, 128, 129, 200, 254, 255],
  bool: [0, 1],
};

/** All pairs of some numbers, as two arrays. */
export function pairsOf(numbers: readonly number[], dtype: DType): [Array, Array] {
  const pairs = numbers.flatMap((x) => numbers.map((y) => [x, y] as const));
  return [0, 1].map((side) =>
    np.array(
      Float64Array.from(pairs, (pair) => pair[side]),
      { dtype },
    ),
  ) as [Array, Array];
}

/** Lengths around the four lanes of a vector. */
export const lengths = [1, 2, 3, 4, 5, 7, 17];

/**
 * Where the elements of an elementwise function depend on how many there are: it is compiled for each of the
 * `lengths` and run on a few stretches of the arguments; the bits must be those of the whole.
 */
export function lengthDifferences(f: (...args: Array[]) => Array, args: readonly Array[]): string[] {
  const whole = f(...args);
  const size = args[0].shape[0];
  return lengths.flatMap((length) => {
    const stretches = range(0, size - length + 1, Math.ceil(size / 7));
    return stretches.flatMap((start) => {
      const part = `${start}:${start + length}`;
      const actual = bitsOf(f(...args.map((x) => x.slice(part))));
      const expected = bitsOf(whole.slice(part));
      const at = actual.findIndex((bits, index) => bits !== expected[index]);
      return at < 0
        ? []
        : [`element ${at} of ${length}, given ${args.map((x) => x.slice(start + at).item()).join()}`];
    });
  });
}

/** The elements as text that tells 0 from -0, but not one NaN from another. */
const bitsOf = (x: Array): string[] =>
  [...x.data()].map((value) => (Object.is(value, -0) ? "-0" : String(value)));

/** A function compiled, for computations with one result. */
export const compiled = (f: Computation): ((...args: Array[]) => Array) =>
  jit(f) as (...args: Array[]) => Array;
