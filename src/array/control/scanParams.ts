// What a loop with a fixed number of iterations is described by.
import type { Program } from "../core/program.js";
import { split } from "./lists.js";

export interface ScanParams {
  /** Takes constants, carry and a slice of each stacked input; returns the new carry and a slice of each result. */
  readonly body: Program;
  /** How many inputs are the same in every iteration. */
  readonly constants: number;
  /** How many inputs, after those, are carried from one iteration to the next. */
  readonly carries: number;
  readonly length: number;
  /** Whether to go from the last slice to the first. */
  readonly reverse: boolean;
  /** How many iterations to write out in one loop of the program; a hint for the compiler. */
  readonly unroll: number;
}

/** Something per input, by role: constants, carry, stacked inputs. */
export const scanRoles = <T>(list: readonly T[], { constants, carries }: ScanParams): [T[], T[], T[]] =>
  split(list, [constants, carries]) as [T[], T[], T[]];
