// What the threads of a block do of a kernel without waiting for other kernels: how many of them it takes, and its code.
import type { Kernel, Place } from "../kernel.js";
import { writesTo } from "../plan/accesses.js";
import type { MemoryPlan } from "../plan/arena.js";
import { copyWork, movesFreely, overlappingWork, shareWork } from "./copy.js";
import { dotWork } from "./dot/index.js";
import { axisIndexWork } from "./exchange/index.js";
import { loopWork } from "./loop.js";
import { sortWork } from "./sort.js";
import type { KernelText } from "./surroundings.js";

/** Registers with what a lane has read of a place, chunk by chunk. */
export type Held = readonly (readonly (readonly string[])[])[];

/** What a work reads from a place each time, and can have in registers where that stays the same in a loop around it. */
export interface Steady {
  readonly place: Place;
  /** How many registers a lane has it in. */
  readonly words: number;
  /** What is read in the same way by the same threads is the same. */
  readonly key: string;
  readonly load: (text: KernelText) => Held;
}

export interface Work {
  /** Threads that have something to do, from the first on; they are whole warps. */
  readonly threads: number;
  /** Its code, where some of what it reads is in registers. */
  readonly write: (text: KernelText, held: ReadonlyMap<Steady, Held>) => void;
  readonly steady?: readonly Steady[];
  /** About how many registers it takes, if they are many. */
  readonly registers?: number;
  /** In words, for people: how threads share it. */
  readonly describe: () => string;
}

/** How a block does kernels. */
export interface Manner {
  /** Threads of the block. */
  readonly threads: number;
  /** Whether code should be short rather than save instructions: it comes from far each time. */
  readonly isShort: boolean;
  /** Whether an array lies in shared memory. */
  readonly isFast: (place: Place) => boolean;
  /** Whether tensor cores may do products, in TF32. */
  readonly isTf32: boolean;
}

/** Kernels that a block does by itself. */
export type OwnKernel = Exclude<Kernel, { kind: "print" | "exchange" }>;

/** What a block does of a kernel, or of several that are alike as one. */
export function workOf(kernels: readonly OwnKernel[], plan: MemoryPlan, manner: Manner): Work {
  const [kernel] = kernels;
  const { threads } = manner;
  const isShared =
    (kernel.kind === "copy" || kernel.kind === "loop") && writesTo(kernel, plan.division.common);
  const moving = isShared ? [] : kernels.filter((one) => movesFreely(one, plan));
  if (moving.length > 0 && moving.length === kernels.length) return copyWork(moving, threads);
  switch (kernel.kind) {
    case "loop":
      return loopWork(
        kernels.filter((one) => one.kind === "loop"),
        manner,
      );
    case "dot":
      return dotWork(
        kernels.filter((one) => one.kind === "dot"),
        manner,
      );
    case "sort":
      return sortWork(kernel, threads);
    case "copy":
      return isShared ? shareWork(kernel, plan.division.parts, threads) : overlappingWork(kernel, threads);
    case "axisIndex":
      return axisIndexWork(kernel, plan.division);
  }
}
