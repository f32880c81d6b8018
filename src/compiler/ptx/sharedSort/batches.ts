// Running through many things of a block, several of each thread at a time: what one waits for, others fill.
import type { KernelText } from "../surroundings.js";

/** Things that a thread has on their way at a time: they come from far. */
const most = 8;

/** Code for the numbers from 0 to before a count that is at most so large, with whether each of them is below it. */
export function inBatches(
  { out, thread, threads }: KernelText,
  largest: number,
  count: string,
  code: (indices: readonly string[], areThere: readonly string[]) => void,
): void {
  const many = Math.min(most, Math.ceil(largest / threads));
  out.stride(thread, largest, many * threads, threads, (first) => {
    const indices = Array.from({ length: many }, (_, at) => out.plus(first, at * threads));
    code(
      indices,
      indices.map((index) => out.effect("setp.lt.s32", "pred", index, count)),
    );
  });
}
