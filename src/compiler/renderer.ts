// What a machine must bring along to run programs: a renderer, which turns kernels into its code.
import type { NamedAxis, Program } from "../array/index.js";
import type { CompiledForms } from "./dump.js";
import type { FuseSizes } from "./fuse/planning.js";
import type { Buffer, Kernel, Step } from "./kernel.js";
import type { MemoryPlan, StagedPlace } from "./plan/arena.js";

/** Bytes before and behind all buffers. */
export interface Margin {
  readonly before: number;
  readonly behind: number;
}

export interface Renderer<Code> {
  readonly name: string;
  /** Elements of 32 bits that are worked on at once. */
  readonly lanes: number;
  readonly limits: {
    /** Bytes that a program can address. */
    readonly memory: number;
  };
  /**
   * For machines on which kernels that do not wait for each other run side by side, and waiting is what costs: kernels are
   * made, and share memory, such that few wait in a row. Left out for those that run one after the other.
   */
  readonly sideBySide?: FuseSizes;
  /**
   * The steps of a program in an order that suits the machine, and arrays but for those seen from elsewhere in a layout that
   * does, with the same results; left out where any does.
   */
  readonly arrange?: (steps: readonly Step[], seen: ReadonlySet<Buffer>) => readonly Step[];
  /** How many words of working memory a kernel takes, in each of so many parts of the machine that share it. */
  readonly scratch: (kernel: Kernel, parts: number) => number;
  /** Memory around the buffers that the code uses, or may read without making use of it; left out for none. */
  readonly margin?: (steps: readonly Step[]) => Margin;
  /**
   * How many kernels lie between two uses of the same memory for arrays of different sizes; left out for none. Threads that
   * own rows have them elsewhere in the other array, and would have to wait for each other.
   */
  readonly rest?: number;
  /** Bytes of fast memory, for what is used most and not seen from outside; left out for none. */
  readonly fastBytes?: number;
  /**
   * A program for several parts of the machine, all of which run it, each on its own share of the data, and how they are
   * arranged; null where one part alone is better. Left out for machines that have no parts.
   */
  readonly divide?: (
    program: Program,
    constants: number,
  ) => { readonly program: Program; readonly axes: readonly NamedAxis[] } | null;
  /** A renderer that suits a program, divided as it is, better than this one; left out where this one suits all. */
  readonly suited?: (program: Program) => Renderer<Code>;
  /** Bytes of common memory by which parts that are arranged along axes exchange something. */
  readonly exchange?: (steps: readonly Step[], axes: readonly NamedAxis[]) => number;
  /** Which buffers lie there from the start, of those that nobody outside sees; left out for none. */
  readonly staged?: (
    steps: readonly Step[],
    axes: readonly NamedAxis[],
    seen: ReadonlySet<Buffer>,
  ) => ReadonlyMap<Buffer, StagedPlace>;
  /** Bytes that copies of an array which all parts have alike may take together; where they would take more there is one. */
  readonly onceFrom?: number;
  /** Whether kernels of one form that follow each other are done as one, which is easier if their arrays lie in runs. */
  readonly inRuns?: boolean;
  /** The code of steps over buffers at the addresses of a plan. */
  readonly render: (steps: readonly Step[], plan: MemoryPlan) => Code;
  /** What can be seen of code, by the names that `VIBE_RL_DUMP` knows it by. */
  readonly list: (code: Code) => CompiledForms["listings"];
}
