// Observations as environments give them, written into a row of a typed array; what cannot be is told in words.
import { describe, sizeOf } from "../array/index.js";
import { kindOfArray, type Layout } from "./layout.js";
import type { HostArray } from "./types.js";

/** Writes an observation behind `offset`; gives what is wrong with it, or `null`. */
export type WriteObs = (given: unknown, target: HostArray, offset: number) => string | null;

interface Range {
  readonly low: number;
  readonly high: number;
  readonly words: string;
}

/** The whole numbers that a space's observations may be; `null` for real numbers. */
function rangeOf({ space, kind }: Layout): Range | null {
  const from = (low: number, high: number): Range => ({
    low,
    high,
    words: `whole numbers from ${low} to ${high}`,
  });
  if (space.kind === "Discrete") return from(0, space.n - 1);
  if (space.kind === "MultiBinary") return from(0, 1);
  if (kind === "Uint8Array") return from(0, 255);
  return kind === "Int32Array" ? from(-(2 ** 31), 2 ** 31 - 1) : null;
}

/** How observations of a space are written: real numbers must be finite, whole ones fit. */
export function obsWriter(layout: Layout): WriteObs {
  const range = rangeOf(layout);
  const { space, size } = layout;
  const write = range === null ? writeReals : wholeWriter(range);
  const words = (at: number, value: unknown): string =>
    `holds ${describe(value)} at element ${at}; ${String(space)} takes ${range === null ? "finite numbers" : range.words}`;

  /** Rows of rows, each as long as the space says, and flat lists in the place of rows. */
  const writeNested = (given: unknown, target: HostArray, offset: number, depth: number): string | null => {
    const length = sizeOf(space.shape.slice(depth));
    const isRow = depth < space.shape.length;
    if (isRow && isList(given) && given.length === length && !isList(given[0])) {
      const bad = write(given, target, offset);
      return bad < 0 ? null : words(bad, given[bad]);
    }
    if (isRow && Array.isArray(given) && isList(given[0])) {
      if (given.length !== space.shape[depth]) {
        return `has ${given.length} rows along axis ${depth}, ${String(space)} has ${space.shape[depth]}`;
      }
      const rowLength = length / given.length;
      for (let row = 0; row < given.length; row++) {
        const problem = writeNested(given[row], target, offset + row * rowLength, depth + 1);
        if (problem !== null) return problem;
      }
      return null;
    }
    if (!isRow) return `holds ${describe(given)} in the place of a number; ${String(space)} has fewer axes`;
    return isList(given)
      ? `has ${count(given.length, "element")}${depth === 0 ? "" : " in a row"}, ${String(space)} has ${length}`
      : `is ${describe(given)}; ${String(space)} takes numbers in a list or a typed array`;
  };

  return (given, target, offset) => {
    if (isList(given) && given.length === size) {
      const bad = write(given, target, offset);
      if (bad < 0) return null;
      if (!isList(given[bad])) return words(bad, given[bad]);
    } else if (typeof given === "number" && size === 1) {
      return write([given], target, offset) < 0 ? null : words(0, given);
    }
    return writeNested(given, target, offset, 0);
  };
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

const isList = (given: unknown): given is ArrayLike<unknown> =>
  Array.isArray(given) || kindOfArray(given)?.endsWith("Array") === true;

/** Writes finite numbers; gives the place of the first that is none, or -1. */
function writeReals(given: ArrayLike<unknown>, target: HostArray, offset: number): number {
  for (let at = 0; at < given.length; at++) {
    const value = given[at];
    if (typeof value !== "number") return at;
    const rounded = Math.fround(value);
    // Not zero for NaN and infinities, which large doubles become as float32, too.
    if (rounded - rounded !== 0) return at;
    target[offset + at] = rounded;
  }
  return -1;
}

const wholeWriter =
  ({ low, high }: Range) =>
  (given: ArrayLike<unknown>, target: HostArray, offset: number): number => {
    for (let at = 0; at < given.length; at++) {
      const value = given[at];
      if (typeof value !== "number" || !(value >= low && value <= high)) return at;
      target[offset + at] = value;
      if (target[offset + at] !== value) return at;
    }
    return -1;
  };
