// How many points kernels have: those of few are done by few threads, and leave the others to something else.
import { sizeOf } from "../../array/index.js";
import type { Kernel } from "../kernel.js";

/** As many points as one warp does at once, and as leave some warps of a block idle, as a rule. */
const [few, some] = [32, 1024];

/** Points of a kernel; without end for those that are never small. */
function pointsOf(kernel: Kernel): number {
  switch (kernel.kind) {
    case "loop":
      return sizeOf(kernel.extents);
    case "copy":
      return kernel.size;
    case "axisIndex":
      return 1;
    case "dot":
    case "sort":
    case "print":
    case "exchange":
      return Infinity;
  }
}

const pointsOfAll = (kernels: readonly Kernel[]): number =>
  kernels.reduce((sum, kernel) => sum + pointsOf(kernel), 0);

/** Whether kernels have so few points, all together, that one warp does them. */
export const areFew = (kernels: readonly Kernel[]): boolean => pointsOfAll(kernels) <= few;

/** Whether kernels have so few points, all together, that another one beside them costs nothing. */
export const leaveRoom = (kernels: readonly Kernel[]): boolean =>
  kernels.length > 0 && pointsOfAll(kernels) <= some;
