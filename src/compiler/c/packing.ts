// Where threads pack right operands of products ahead of time: whatever meeting comes next, all that can be packed is
// packed before it, so that no product needs a meeting of its own.
import type { DotKernel, Kernel, Step } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import type { MemoryPlan } from "../plan/arena.js";
import { align } from "../plan/placing.js";
import type { Meetings } from "../schedule/meetings.js";
import { kernelsIn } from "../walk.js";
import { dotScratch, packedOperand, packs, worksInOwn } from "./dot/index.js";
import type { CTarget } from "./surroundings.js";

/** Products that need more memory than this are packed when they are needed. */
const mostBytes = 2 ** 24;

/**
 * So many areas take turns. (measured for SAC, in which 19 products of 256 × 256 are packed in each step: with two areas
 * threads meet 18 times, with three 14 times, with one for each product 13 times, but that takes 6 % more time, for what is
 * packed is then no longer in the cache)
 */
const areaCount = 3;

/** The offsets in bytes of what is packed ahead, and all bytes together. */
interface Areas {
  readonly offsets: ReadonlyMap<Kernel, number>;
  readonly bytes: number;
}

/** Areas for the products of a program; only where there are several threads are they made use of. */
export function packingAreas(steps: readonly Step[], target: CTarget): Areas {
  const bytesOf = (kernel: DotKernel) => align(4 * dotScratch(kernel, target));
  const products = kernelsIn(steps).filter(
    (kernel): kernel is DotKernel =>
      kernel.kind === "dot" &&
      packs(kernel, target) &&
      !worksInOwn(kernel, target) &&
      bytesOf(kernel) <= mostBytes,
  );
  const size = products.reduce((largest, kernel) => Math.max(largest, bytesOf(kernel)), 0);
  return {
    offsets: new Map(products.map((kernel, at) => [kernel, (at % areaCount) * size])),
    bytes: Math.min(areaCount, products.length) * size,
  };
}

/** The addresses of areas in a plan, whose memory has them behind all buffers. */
export function areaAddresses(
  steps: readonly Step[],
  plan: MemoryPlan,
  target: CTarget,
): Map<Kernel, number> {
  const { offsets, bytes } = packingAreas(steps, target);
  return new Map([...offsets].map(([kernel, offset]) => [kernel, plan.bytes - bytes + offset]));
}

/** A product of a list of steps that can be packed ahead. */
export interface PackedAhead {
  readonly kernel: DotKernel;
  /** Its place in the list. */
  readonly at: number;
  /** From this place on its operand is what it will be. */
  readonly from: number;
}

/** What can be packed ahead of some steps. */
export function packedAhead(
  steps: readonly Step[],
  areas: ReadonlyMap<Kernel, number>,
  plan: MemoryPlan,
  meetings: Meetings,
): PackedAhead[] {
  const writes = steps.map((step) =>
    kernelsIn([step])
      .filter((kernel) => !plan.isIdle(kernel))
      .flatMap((kernel) => accessesOf(kernel).filter(({ kind }) => kind === "write"))
      .map(({ buffer }) => meetings.touch(buffer, true, "all")),
  );
  return steps.flatMap((step, at) => {
    if (step.kind !== "kernel" || step.kernel.kind !== "dot" || !areas.has(step.kernel)) return [];
    const { start, end } = meetings.touch(packedOperand(step.kernel).buffer, false, "all");
    let from = at;
    while (from > 0 && !writes[from - 1].some((touch) => touch.start < end && start < touch.end)) from--;
    return [{ kernel: step.kernel, at, from }];
  });
}
