// Loop kernels as PTX: points are shared out among the threads of a block.
import { sizeOf } from "../../array/index.js";
import type { LoopKernel } from "../kernel.js";
import { planNest, type Loop, type Nest } from "../schedule/nest.js";
import { rootsOf } from "../walk.js";
import { divide, positionsOf } from "./indices.js";
import { extentsOf, positionIn, Reducing, warp } from "./reduce.js";
import type { KernelText } from "./surroundings.js";
import { pointsAtOnce, Values } from "./values.js";

export { loopScratch } from "./reduce.js";

export function renderLoop(text: KernelText, kernel: LoopKernel): void {
  const nest = planNest(kernel, warp);
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

/**
 * Points that may meet at an element. Where they combine, or the last one counts, each element belongs to one thread,
 * which goes through all points in their order and does those that are its own.
 */
function renderInOrder(text: KernelText, kernel: LoopKernel, { loops }: Nest): void {
  const { out, thread, threads } = text;
  if (kernel.reductions.length > 0) {
    out.when(out.effect("setp.eq.s32", "pred", thread, "0"), () =>
      new Reducing(text, kernel, { loops, vector: -1 }, true).render(),
    );
    return;
  }
  const extents = extentsOf(loops);
  out.loop("0", String(sizeOf(extents)), "1", (index) => {
    const values = new Values(text, positionIn(loops, positionsOf(out, index, extents)));
    for (const store of kernel.body) {
      const indices = store.address.computed.map(({ index: computed }) => computed);
      values.compute(store.guard === null ? indices : [...indices, store.guard]);
      const owner = divide(out, values.element(store.address), threads, 2 ** 31).remainder;
      out.when(out.effect("setp.eq.s32", "pred", owner, thread), () => values.store([store]));
    }
  });
}
