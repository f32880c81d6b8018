// What comes next, where it decides who should do something now.
import type { Buffer, Kernel, Step } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import { areFew } from "../schedule/points.js";

interface Ahead {
  /** Whether all threads would wait before a kernel for what one warp has done. */
  readonly waits: (kernel: Kernel) => boolean;
  readonly isIdle: (kernel: Kernel) => boolean;
}

/**
 * Whether, in the steps that follow some kernels, all threads wait for a warp before something that does not need what the kernels
 * write: then these need not be left to the same warp.
 */
export function willAllWait(
  steps: readonly Step[],
  kernels: readonly Kernel[],
  { waits, isIdle }: Ahead,
): boolean {
  const written = new Set<Buffer>();
  const note = (kernel: Kernel) => {
    for (const { buffer, kind } of accessesOf(kernel)) if (kind === "write") written.add(buffer);
  };
  kernels.forEach(note);
  for (const step of steps) {
    if (step.kind !== "kernel" || step.kernel.kind === "exchange" || step.kernel.kind === "print") break;
    const { kernel } = step;
    if (isIdle(kernel)) continue;
    const isBehind = accessesOf(kernel).some(({ buffer }) => written.has(buffer));
    if (!isBehind && !areFew([kernel]) && waits(kernel)) return true;
    note(kernel);
  }
  return false;
}
