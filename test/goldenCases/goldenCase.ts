// A computation whose result is known from outside, to be run in every way there is to run it.
import type { Array } from "vibe-rl/array";

export interface GoldenCase {
  readonly name: string;
  readonly f: (...args: Array[]) => unknown;
  readonly args: readonly Array[];
  /** Fails unless the result is the known one. */
  readonly check: (actual: unknown) => void;
}
