// The renderer of C.
import type { Renderer } from "../renderer.js";
import { scratchOf } from "../schedule/scratch.js";
import { arrange } from "./arrange.js";
import { dotScratch } from "./dot/index.js";
import { packingAreas } from "./packing.js";
import { renderProgram } from "./program.js";
import { byItself } from "./sharing.js";
import type { CTarget } from "./surroundings.js";
import { usualCosts, type ParallelWork, type ThreadCosts } from "./work.js";

export type { CTarget } from "./surroundings.js";
export { neverMeeting, type ParallelWork, type ThreadCosts } from "./work.js";

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
 * What the C is to be compiled with, besides how the compiler is told of the processor at hand: nothing that changes what
 * NaN means or in which order sums are taken. Vectors are written out already.
 */
export const cFlags: readonly string[] = [
  ...["-std=gnu11", "-O2", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"],
  ...["-fwrapv", "-fno-strict-aliasing", "-fno-tree-vectorize", "-fPIC", "-w"],
];

/** C for a machine, for any number of threads unless meetings of theirs cost too much. */
export const cRenderer = (target: CTarget, costs: ThreadCosts = usualCosts): Renderer<CProgram> => ({
  name: "this machine",
  lanes: target.lanes,
  limits: { memory: 2 ** 47 },
  scratch: (kernel) => scratchOf(kernel, (product) => dotScratch(product, target)),
  ...(Number.isFinite(costs.meeting) && {
    arrange: (steps) => arrange(steps, (kernel) => byItself(kernel, target, costs)),
    margin: (steps) => ({ before: 0, behind: packingAreas(steps, target).bytes }),
    // Twice as many save no meeting more in PPO, DQN and SAC, and half as many one less.
    rest: 32,
  }),
  render: (steps, plan) => renderProgram(steps, plan, target, costs),
  list: ({ sources }) => ({ c: () => ({ suffix: "c", text: sources.join("\n") }) }),
});
