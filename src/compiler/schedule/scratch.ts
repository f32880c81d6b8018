// Working memory of kernels.
import type { DotKernel, Kernel } from "../kernel.js";
import { sortScratch } from "./sorting.js";

/** How many words a kernel works in; what products take is up to how they are computed. */
export function scratchOf(kernel: Kernel, dotScratch: (kernel: DotKernel) => number): number {
  switch (kernel.kind) {
    case "dot":
      return dotScratch(kernel);
    case "sort":
      return sortScratch(kernel.length);
    case "loop":
    case "copy":
    case "print":
    case "exchange":
    case "axisIndex":
      return 0;
  }
}
