// Which rows of kernels the threads of a program can own.
import type { Kernel, LoopKernel } from "../kernel.js";
import { LoopAnalysis } from "../schedule/loopAnalysis.js";
import { planNest, type Loop } from "../schedule/nest.js";
import { rowsAlong, type Rows } from "../schedule/rows.js";
import { canShareRows } from "./dot/index.js";
import { grainOf, type CTarget } from "./surroundings.js";

/** The rows of a kernel that threads can own; null where it has none, or too few. */
export function rowsOf(kernel: Kernel, target: CTarget): Rows | null {
  const rows = rowsAlong(kernel, 2 * grainOf(target));
  if (rows === null) return null;
  switch (kernel.kind) {
    case "loop":
      return canCut(kernel, rows, target) ? rows : null;
    case "dot":
      return canShareRows(kernel, rows, target) ? rows : null;
    case "sort":
    case "copy":
    case "print":
    case "exchange":
    case "axisIndex":
      return null;
  }
}

/** Whether no vector along the rows reaches from those of one thread into those of another. */
function canCut(kernel: LoopKernel, rows: Rows, target: CTarget): boolean {
  const nest = planNest(kernel, 4, rows.axis);
  const loop = rowLoop(nest.loops, rows);
  if (nest.loops[nest.vector] !== loop) return true;
  const { unroll } = new LoopAnalysis(kernel, nest, target.lanes);
  const together = loop.extent / rows.count;
  return (grainOf(target) * together) % (target.lanes * unroll) === 0;
}

/** The loop that goes over rows, and over all that lies together in a row. */
export const rowLoop = (loops: readonly Loop[], { axis }: Rows): Loop =>
  loops.filter((loop) => loop.axis >= axis).reduce((first, loop) => (loop.axis < first.axis ? loop : first));
