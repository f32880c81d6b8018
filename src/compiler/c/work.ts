// How much work kernels are, and which of them are worth several threads.
import { sizeOf } from "../../array/index.js";
import { operationCosts } from "../primitives/elementwise.js";
import type { Expression, Kernel, LoopKernel } from "../kernel.js";
import { kernelRoots } from "../schedule/nest.js";
import { expressionsBelow } from "../walk.js";
import { canShare } from "./dot/index.js";
import type { CTarget } from "./surroundings.js";

/** Work of so many operations takes about as long as ten meetings of all threads. (measured: 1 µs between two) */
const leastWork = 400_000;

/** Rough operations of one element, loads included. */
const costOfExpression = (expression: Expression): number =>
  expression.kind === "operation" ? operationCosts[expression.name] : expression.kind === "load" ? 2 : 0;

const workOfLoop = (kernel: LoopKernel): number => {
  const each = expressionsBelow(kernelRoots(kernel)).reduce((sum, one) => sum + costOfExpression(one), 2);
  return sizeOf(kernel.extents) * each;
};

/** Whether a kernel is shared out among threads. */
export function isShared(kernel: Kernel, target: CTarget): boolean {
  switch (kernel.kind) {
    case "dot": {
      const { batch, rows, columns, depth } = kernel;
      // Multiplications and additions come two at a time, in vectors.
      const work = (sizeOf([...batch, ...rows, ...columns, ...depth]) / target.lanes) * 8;
      return work >= leastWork && canShare(kernel, target);
    }
    case "loop": {
      const isWhole = kernel.order === "free" && sizeOf(kernel.extents.slice(0, kernel.outer)) >= 64;
      return isWhole && (workOfLoop(kernel) / target.lanes) * 8 >= leastWork;
    }
    case "sort":
    case "copy":
    case "print":
    case "exchange":
    case "axisIndex":
      return false;
  }
}
