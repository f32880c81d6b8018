// The renderer of PTX, NVIDIA's portable assembly.
import type { Kernel, Step } from "../kernel.js";
import { align } from "../plan/placing.js";
import type { Renderer } from "../renderer.js";
import { kernelsIn } from "../walk.js";
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

/** Two words of 64 bits for each kernel. */
const profileBytes = (steps: readonly Step[]): number => 16 * kernelsIn(steps).length;

/** PTX for a GPU. */
export const ptxRenderer = ({ sharedBytes, isProfiled = false }: PtxTarget): Renderer<PtxProgram> => ({
  name: "the GPU",
  lanes: 32,
  limits: { memory: 2 ** 40 },
  scratch: scratchOf,
  fastBytes: sharedBytes,
  ...(isProfiled && { margin: (steps) => ({ before: 0, behind: profileBytes(steps) }) }),
  render: (steps, plan) => {
    const profile = isProfiled ? plan.bytes - align(profileBytes(steps)) : null;
    const { text, kernels } = renderProgram(steps, plan, threads, profile);
    return { text, kernels, profile, blocks: 1, threads, sharedBytes: plan.fastBytes };
  },
  list: ({ text }) => ({ ptx: () => ({ suffix: "ptx", text }) }),
});
