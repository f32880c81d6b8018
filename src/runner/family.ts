// Runs that one program serves: they differ in their seed and in the values of settings that are arguments of it.
import { np, type Array } from "../array/index.js";
import type { Trainer } from "./trainer.js";

/** Settings that a program takes as arguments, by their names in the algorithm's config. */
export type Hyper = Readonly<Record<string, Array>>;

/** What tells a run from the others of its family. */
export interface Member {
  readonly seed: number;
  /** Settings that differ between the runs; their fields may be scalar arrays. */
  readonly values: Readonly<Record<string, number>>;
}

/**
 * Makes the runs of a family, of the config's own seed and values where none are given. Those whose members have the
 * same names of values share their programs.
 */
export type Family<S> = (member?: Partial<Member>) => Trainer<S>;

/** A member's values as arguments of a program. */
export const hyperOf = (values: Member["values"]): Hyper =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, np.float32(value)]));
