// What the machine-independent passes must know of the machine: how much working memory its kernels want.
import type { DotKernel } from "./kernel.js";

export interface Target {
  /** Elements of float32 that a product works in. */
  readonly dotScratch: (kernel: Omit<DotKernel, "scratch">) => number;
  /** Words that sorting lanes of a length works in. */
  readonly sortScratch: (length: number) => number;
}
