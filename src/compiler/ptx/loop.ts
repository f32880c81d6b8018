// Loop kernels as PTX: points are shared out among the threads of a block.
import { sizeOf } from "../../array/index.js";
import type { LoopKernel } from "../kernel.js";
import { planNest, type Loop } from "../schedule/nest.js";
import { rootsOf } from "../walk.js";
import { positionsOf } from "./indices.js";
import { extentsOf, positionIn, Reducing } from "./reduce.js";
import { renderInOrder } from "./scatter.js";
import type { KernelText } from "./surroundings.js";
import { lanesOfWarp } from "./types.js";
import { pointsAtOnce, Values } from "./values.js";

export { loopScratch } from "./reduce.js";

export function renderLoop(text: KernelText, kernel: LoopKernel): void {
  const nest = planNest(kernel, lanesOfWarp);
  const kept = nest.loops.filter(({ isReduced }) => !isReduced);
  if (kept.some(({ extent }) => extent === 0)) return;
  if (kernel.order !== "free") renderInOrder(text, kernel, nest);
  else if (kernel.reductions.length === 0) renderPoints(text, kernel, nest.loops);
  else new Reducing(text, kernel, nest).render();
}

/** Every thread takes every so many-th point, several of them at a time where there are enough. */
function renderPoints(text: KernelText, kernel: LoopKernel, loops: readonly Loop[]): void {
  const { out, thread, threads } = text;
  const extents = extentsOf(loops);
  const count = sizeOf(extents);
  const roots = rootsOf(kernel.body);
  text.occupy(count);
  const points = (first: string, many: number) => {
    const indices = Array.from({ length: many }, (_, at) => out.plus(first, at * threads));
    const values = indices.map(
      (index, at) =>
        new Values(text, positionIn(loops, positionsOf(out, index, extents)), undefined, String(at)),
    );
    Values.computeAll(values, roots);
    for (const one of values) one.put(kernel.body);
  };
  const many = pointsAtOnce(roots, Math.floor(count / threads));
  const whole = Math.floor(count / (many * threads)) * many * threads;
  out.stride(thread, whole, many * threads, threads, (first) => points(first, many));
  out.stride(out.plus(thread, whole), count, threads, threads, (index) => points(index, 1));
}
