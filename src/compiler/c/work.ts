// How much work kernels are, and which of them are worth several threads.
import { sizeOf } from "../../array/index.js";
import { operationCosts } from "../primitives/elementwise.js";
import type { Expression, Kernel, LoopKernel } from "../kernel.js";
import { kernelRoots } from "../schedule/nest.js";
import { expressionsBelow } from "../walk.js";
import { canShare } from "./dot/index.js";
import type { CTarget } from "./surroundings.js";

/**
 * Work of so many operations is worth a meeting of all threads. (measured with two: PPO with 64 × 64 networks 1.24 times
 * as fast as with one; 1.14 times with twice as much, slower with eight times as much)
 */
const leastWork = 50_000;
/** Work of so many gains from threads even where they have to share their processors with others. */
const muchWork = 1_500_000;

/** What several threads can share of a program: nothing, so little that it must be asked for, or enough in any case. */
export type ParallelWork = "none" | "little" | "much";

/** Rough operations of one element, loads included. */
const costOfExpression = (expression: Expression): number =>
  expression.kind === "operation" ? operationCosts[expression.name] : expression.kind === "load" ? 2 : 0;

const workOfLoop = (kernel: LoopKernel): number => {
  const each = expressionsBelow(kernelRoots(kernel)).reduce((sum, one) => sum + costOfExpression(one), 2);
  return sizeOf(kernel.extents) * each;
};

/** The work of a kernel that threads can share; 0 for none. */
function sharedWork(kernel: Kernel, target: CTarget): number {
  // Operations of eight lanes at a time.
  const inVectors = (operations: number) => (operations / target.lanes) * 8;
  switch (kernel.kind) {
    case "dot": {
      const { batch, rows, columns, depth } = kernel;
      return canShare(kernel, target) ? inVectors(sizeOf([...batch, ...rows, ...columns, ...depth])) : 0;
    }
    case "loop": {
      const isWide = kernel.order === "free" && sizeOf(kernel.extents.slice(0, kernel.outer)) >= 64;
      return isWide ? inVectors(workOfLoop(kernel)) : 0;
    }
    case "sort":
    case "copy":
    case "print":
    case "exchange":
    case "axisIndex":
      return 0;
  }
}

/** Whether a kernel is shared out among threads. */
export const isShared = (kernel: Kernel, target: CTarget): boolean => sharedWork(kernel, target) >= leastWork;

/** What threads can share of some kernels. */
export function parallelWorkOf(kernels: readonly Kernel[], target: CTarget): ParallelWork {
  const most = kernels.reduce((largest, kernel) => Math.max(largest, sharedWork(kernel, target)), 0);
  return most >= muchWork ? "much" : most >= leastWork ? "little" : "none";
}
