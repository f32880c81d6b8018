// The renderer of C.
import type { Kernel } from "../kernel.js";
import type { Renderer } from "../renderer.js";
import { scratchOf } from "./dot/index.js";
import { renderProgram } from "./program.js";
import { sortScratch } from "../schedule/sorting.js";
import type { CTarget } from "./surroundings.js";
import type { ParallelWork } from "./work.js";

export type { CTarget } from "./surroundings.js";
export type { ParallelWork } from "./work.js";

/**
 * A program as C: translation units, to be built and linked into one shared library, which exports
 * `void vibe_rl_run(char *memory, void (*print)(int message), struct vibe_rl_pool *pool)`.
 */
export interface CProgram {
  readonly sources: readonly string[];
  /** What several threads can share of its work. */
  readonly parallelWork: ParallelWork;
}

/**
 * What the C is to be compiled with: nothing that changes what NaN means or in which order sums are taken. Vectors are
 * written out already.
 */
export const cFlags: readonly string[] = [
  ...["-std=gnu11", "-O2", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"],
  ...["-fwrapv", "-fno-strict-aliasing", "-fno-tree-vectorize", "-fPIC", "-w"],
];

function scratch(kernel: Kernel, target: CTarget): number {
  switch (kernel.kind) {
    case "dot":
      return scratchOf(kernel, target);
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

/** C for a machine. */
export const cRenderer = (target: CTarget): Renderer<CProgram> => ({
  name: "this machine",
  lanes: target.lanes,
  limits: { memory: 2 ** 47 },
  scratch: (kernel) => scratch(kernel, target),
  render: (steps, plan) => renderProgram(steps, plan, target),
  list: ({ sources }) => ({ c: () => ({ suffix: "c", text: sources.join("\n") }) }),
});
