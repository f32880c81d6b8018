// How far apart two trees of arrays are, and whether that is near enough.
import { expect } from "vitest";
import { tree, type Array } from "vibe-rl/array";

/** How far a float may be from what is expected. Everything else must be equal. */
export interface Tolerance {
  /** In parts of the expected number. */
  readonly rtol?: number;
  readonly atol?: number;
  /** In distances between neighbouring float32 numbers. */
  readonly ulps?: number;
  /** Whether 0 and -0 are different. Default false. */
  readonly signedZeros?: boolean;
}

/** The distance between neighbouring float32 numbers around x. */
export function ulp(x: number): number {
  const exponent = x === 0 ? -126 : Math.max(-126, Math.floor(Math.log2(Math.abs(x))));
  return 2 ** (exponent - 23);
}

export function isNear(actual: number, expected: number, tolerance: Tolerance): boolean {
  const { rtol = 0, atol = 0, ulps = 0, signedZeros = false } = tolerance;
  if (Object.is(actual, expected)) return true;
  if (actual === expected) return !signedZeros;
  // Nothing but infinity is near infinity.
  if (!Number.isFinite(expected)) return false;
  return Math.abs(actual - expected) <= Math.max(atol + rtol * Math.abs(expected), ulps * ulp(expected));
}

/** What is different in two trees, in words: nothing, or the types, or the first few elements. */
export function differences(actual: unknown, expected: unknown, tolerance: Tolerance = {}): string[] {
  const found: string[] = [];
  tree.mapWithPath(
    (path, a: unknown, b: unknown) => {
      const [x, y] = [a, b] as [Array, Array];
      const [type, wanted] = [x, y].map(({ dtype, shape }) => `${dtype}[${shape.join()}]`);
      if (type !== wanted) found.push(`${path}: ${type} instead of ${wanted}`);
      else found.push(...elementDifferences(path, x, y, tolerance));
    },
    actual,
    expected,
  );
  return found;
}

function elementDifferences(path: string, x: Array, y: Array, tolerance: Tolerance): string[] {
  const isFloat = x.dtype.startsWith("float");
  const [actual, expected] = [x.data(), y.data()];
  const found: string[] = [];
  for (let at = 0; at < actual.length && found.length < 5; at++) {
    const isSame = isFloat ? isNear(actual[at], expected[at], tolerance) : actual[at] === expected[at];
    if (!isSame) found.push(`${path}[${at}]: ${show(actual[at])} instead of ${show(expected[at])}`);
  }
  return found;
}

const show = (x: number): string => (Object.is(x, -0) ? "-0" : String(x));

/** Fails unless two trees have equal structure, shapes and dtypes, and values within a tolerance. */
export function expectClose(actual: unknown, expected: unknown, tolerance: Tolerance): void {
  expect(differences(actual, expected, tolerance)).toEqual([]);
}
