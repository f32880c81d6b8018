// Reading the golden figures and comparing with them.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Array } from "vibe-rl/array";
import { np, tree, type DType } from "vibe-rl/array";

/** An array as the golden files write it. */
export interface GoldenArray {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: readonly (number | boolean | "nan" | "inf" | "-inf")[];
}

export const readGolden = <T>(file: string): readonly T[] =>
  JSON.parse(readFileSync(new URL(`./golden/${file}`, import.meta.url), "utf8")) as readonly T[];

const special = { nan: NaN, inf: Infinity, "-inf": -Infinity };

export const numbersOf = ({ data }: GoldenArray): number[] =>
  data.map((value) => (typeof value === "string" ? special[value] : Number(value)));

export const toArray = (golden: GoldenArray): Array =>
  np.array(Float64Array.from(numbersOf(golden)), { dtype: golden.dtype }).reshape(golden.shape);

const isGoldenArray = (node: object): node is GoldenArray => "dtype" in node && "data" in node;

/** A tree of golden arrays as a tree of arrays. */
export function toTree(node: unknown): unknown {
  if (globalThis.Array.isArray(node)) return node.map(toTree);
  const object = node as object;
  if (isGoldenArray(object)) return toArray(object);
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, toTree(value)]));
}

interface Tolerance {
  readonly rtol: number;
  readonly atol?: number;
}

/** Fails unless two trees have equal structure, shapes and dtypes, and values within a tolerance. */
export function expectClose(actual: unknown, expected: unknown, { rtol, atol = 0 }: Tolerance): void {
  tree.mapWithPath(
    (path, a: unknown, b: unknown) => {
      const [x, y] = [a, b] as [Array, Array];
      expect([path, x.dtype, x.shape]).toEqual([path, y.dtype, y.shape]);
      const [left, right] = [[...x.data()], [...y.data()]];
      left.forEach((value, at) => {
        const truth = right[at];
        const same = Object.is(value, truth) || value === truth;
        const near = Math.abs(value - truth) <= atol + rtol * Math.abs(truth);
        expect(same || near, `${path}[${at}]: ${value} is not near ${truth}`).toBe(true);
      });
    },
    actual,
    expected,
  );
}
