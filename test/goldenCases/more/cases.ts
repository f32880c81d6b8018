// What the cases with options are made of.
import type { Array } from "vibe-rl/array";

/** A computation for each name of test/golden/more.json, on the arguments given there. */
export type MoreCases = Readonly<Record<string, (...args: Array[]) => unknown>>;
