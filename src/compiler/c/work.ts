// How much work kernels are, and what it takes for threads to meet.
import { sizeOf } from "../../array/index.js";
import { operationCosts } from "../primitives/elementwise.js";
import type { Expression, Kernel, LoopKernel, Step } from "../kernel.js";
import { kernelRoots } from "../schedule/nest.js";
import { expressionsBelow } from "../walk.js";
import { canShareTiles } from "./dot/index.js";
import type { CTarget } from "./surroundings.js";

/** What threads cost. */
export interface ThreadCosts {
  /** Operations that one thread does while all meet. */
  readonly meeting: number;
}

/**
 * (measured with two threads, as the work from which on a kernel alone is worth two meetings: with 50,000 operations PPO
 * with 64 × 64 networks was 1.24 times as fast as with one; with twice as many 1.14 times, slower with eight times as many)
 */
export const usualCosts: ThreadCosts = { meeting: 12_500 };

/** What makes programs for one thread. */
export const neverMeeting: ThreadCosts = { meeting: Infinity };

/** The work from which on a kernel is worth a meeting before and one behind it. */
export const leastWork = ({ meeting }: ThreadCosts): number => 4 * meeting;

/** Work of so many operations gains from threads even where they have to share their processors with others. */
const muchWork = 1_500_000;

/** What several threads can share of a program: nothing, so little that it must be asked for, or enough in any case. */
export type ParallelWork = "none" | "little" | "much";

/** Rough operations of one element, loads included. */
const costOfExpression = (expression: Expression): number =>
  expression.kind === "operation" ? operationCosts[expression.name] : expression.kind === "load" ? 2 : 0;

const loopWorks = new WeakMap<LoopKernel, number>();

function workOfLoop(kernel: LoopKernel): number {
  const costs = () => expressionsBelow(kernelRoots(kernel)).map(costOfExpression);
  const each = loopWorks.get(kernel) ?? costs().reduce((sum, cost) => sum + cost, 2);
  loopWorks.set(kernel, each);
  return sizeOf(kernel.extents) * each;
}

/** The work of a kernel, in operations of eight lanes at a time. */
export function workOf(kernel: Kernel, target: CTarget): number {
  const inVectors = (operations: number) => (operations / target.lanes) * 8;
  switch (kernel.kind) {
    case "dot": {
      const { batch, rows, columns, depth } = kernel;
      return inVectors(sizeOf([...batch, ...rows, ...columns, ...depth]));
    }
    case "loop":
      return kernel.order === "free" ? inVectors(workOfLoop(kernel)) : 8 * workOfLoop(kernel);
    case "sort":
      return 8 * kernel.lanes * kernel.length * Math.ceil(Math.log2(kernel.length + 1));
    case "copy":
      return inVectors(2 * kernel.size);
    case "print":
    case "exchange":
    case "axisIndex":
      return 0;
  }
}

/** Whether threads can share units of a kernel's work. */
export function canShareUnits(kernel: Kernel, target: CTarget): boolean {
  if (kernel.kind === "dot") return canShareTiles(kernel, target);
  return (
    kernel.kind === "loop" && kernel.order === "free" && sizeOf(kernel.extents.slice(0, kernel.outer)) >= 64
  );
}

/** How often the test of a while loop is taken to hold. */
const usualIterations = 10;

/** The work of steps, done by one thread. */
export const workOfSteps = (steps: readonly Step[], target: CTarget): number =>
  steps.reduce((sum, step) => {
    switch (step.kind) {
      case "kernel":
        return sum + workOf(step.kernel, target);
      case "loop":
        return sum + step.counter.length * workOfSteps(step.body, target);
      case "while":
        return sum + usualIterations * workOfSteps([...step.test, ...step.body], target);
      case "branch":
        return sum + Math.max(0, ...step.cases.map((steps) => workOfSteps(steps, target)));
    }
  }, 0);

/** What threads can share of a program, given the kernels that they do share. */
export function parallelWorkOf(shared: readonly Kernel[], target: CTarget): ParallelWork {
  if (shared.length === 0) return "none";
  return shared.some((kernel) => workOf(kernel, target) >= muchWork) ? "much" : "little";
}
