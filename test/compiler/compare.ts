// Running a function compiled and interpreted, and telling what is different.
import { expect } from "vitest";
import { jit, np, type Array, type DType } from "vibe-rl/array";
import { differences, type Tolerance } from "../closeness.js";

/** Whether XLA runs all programs. */
export const isOnXla = process.env.VIBE_RL_DEVICE === "gpu";

/** What IEEE 754 rounds once: XLA's divisions and square roots on NVIDIA GPUs are near that only, as under JAX. */
export const exactly: Tolerance = isOnXla ? { ulps: 4 } : {};

export type Computation = (...args: Array[]) => unknown;

const poison = jit((x: Array) => x);
const rubbish = np.array(new Uint32Array(2 ** 15).fill(0xffffffff));

/** Overwrites the memory that compiled programs share, with NaN for floats and -1 for integers. */
const spoilMemory = (): void => void poison(rubbish);

/** Other arguments of the same types: the elements of each array moved on by one, scalars one larger. */
export const otherArguments = (args: readonly Array[]): Array[] =>
  args.map((x) => {
    if (x.ndim > 0) return np.roll(x.reshape(-1), 1, 0).reshape(x.shape);
    return x.dtype === "bool" ? x.not() : x.add(1);
  });

/**
 * What is different between a function compiled and interpreted. It is called with the arguments, with others,
 * and with the first again: what an earlier call has left in memory must not matter.
 */
export function compiledDifferences(
  f: Computation,
  args: readonly Array[],
  tolerance: Tolerance = {},
  others: readonly Array[] = otherArguments(args),
): string[] {
  const interpreted = jit(f, { device: "interpreter" });
  const expected = [args, others].map((list) => interpreted(...list));
  const compiled = jit(f);
  try {
    spoilMemory();
    const first = compiled(...args);
    const found = differences(first, expected[0], tolerance);
    if (found.length > 0) return found;
    const second = differences(compiled(...others), expected[1], tolerance);
    if (second.length > 0) return second.map((difference) => `second call: ${difference}`);
    spoilMemory();
    const again = differences(compiled(...args), first, { signedZeros: true });
    return again.map((difference) => `first call again: ${difference}`);
  } catch (error) {
    return [String(error)];
  }
}

/** Fails unless a compiled function gives the interpreter's answer. */
export function expectSame(
  f: Computation,
  args: readonly Array[],
  tolerance?: Tolerance,
  others?: readonly Array[],
): void {
  expect(compiledDifferences(f, args, tolerance, others)).toEqual([]);
}

/** A computation on arguments, and what to call it in messages. */
export interface Case {
  readonly name: string;
  readonly f: Computation;
  readonly args: readonly Array[];
}

/** Fails unless all of many cases give the interpreter's answer; says which do not. */
export function expectAllSame(cases: Iterable<Case>, tolerance?: Tolerance): void {
  const wrong: Record<string, string[]> = {};
  for (const { name, f, args } of cases) {
    const found = compiledDifferences(f, args, tolerance);
    if (found.length > 0) wrong[name] = found.slice(0, 2);
  }
  expect(wrong).toEqual({});
}

/** Whole numbers from -4 to 4, whose sums and products floats hold exactly; unsigned dtypes wrap them around. */
export function wholeNumbers(shape: readonly number[], dtype: DType = "float32", seed = 1): Array {
  const size = shape.reduce((product, extent) => product * extent, 1);
  // A hash of the position (the finaliser of MurmurHash3): numbers, not operations that a trace would record.
  const elements = Int32Array.from({ length: size }, (_, at) => {
    let bits = Math.imul(at + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return (((bits ^ (bits >>> 16)) >>> 0) % 9) - 4;
  });
  return np.array(elements, { dtype }).reshape(shape);
}
