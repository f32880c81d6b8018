// The renderer of PTX, NVIDIA's portable assembly.
import type { Kernel } from "../kernel.js";
import type { Renderer } from "../renderer.js";
import { loopScratch } from "./loop.js";
import { renderProgram } from "./program.js";
import { sortScratch } from "./sort.js";
import type { PtxProgram, PtxTarget } from "./types.js";

export type { PtxProgram, PtxTarget } from "./types.js";

const threads = 256;

/** How many words a kernel works in. */
function scratchOf(kernel: Kernel): number {
  switch (kernel.kind) {
    case "loop":
      return loopScratch(kernel, threads);
    case "sort":
      return sortScratch(kernel);
    case "dot":
    case "copy":
    case "print":
    case "exchange":
    case "axisIndex":
      return 0;
  }
}

/** PTX for a GPU. */
export const ptxRenderer = ({ sharedBytes }: PtxTarget): Renderer<PtxProgram> => ({
  name: "the GPU",
  lanes: 32,
  limits: { memory: 2 ** 40 },
  scratch: scratchOf,
  fastBytes: sharedBytes,
  render: (steps, plan) => ({
    text: renderProgram(steps, plan, threads),
    blocks: 1,
    threads,
    sharedBytes: plan.fastBytes,
  }),
  list: ({ text }) => ({ ptx: () => ({ suffix: "ptx", text }) }),
});
