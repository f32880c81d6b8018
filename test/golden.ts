// Reading the golden figures and comparing with them.
import { readFileSync } from "node:fs";
import { np, type Array, type DType } from "vibe-rl/array";

export { expectClose } from "./closeness.js";

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
