// What a program rendered to PTX is, and what of a GPU its code depends on.

/** Threads that go through a program together. */
export const lanesOfWarp = 32;

/** Threads, as whole warps, that have something to do where so many things are dealt out to a block of threads. */
export const wholeWarps = (count: number, threads: number): number =>
  Math.min(threads, Math.ceil(count / lanesOfWarp) * lanesOfWarp);

/** A GPU as far as code for it depends on it. */
export interface PtxTarget {
  /** Multiprocessors, of which each can hold a block. */
  readonly multiprocessors: number;
  /** Bytes of shared memory that one block can have. */
  readonly sharedBytes: number;
  /** Blocks that a cluster can have, on GPUs that have clusters; 0 by default. */
  readonly clusterBlocks?: number;
  /** Blocks that a program may have at most; by default one for each multiprocessor. */
  readonly mostBlocks?: number;
  /** Threads of a block, a power of two from 128 to 1,024; as many as suit the program by default. */
  readonly threads?: number;
  /** Whether tensor cores may do products, of operands rounded to TF32; so may be tanh of their sums. False by default. */
  readonly isTf32?: boolean;
  /** How many lines of PTX a function has at most, about, into which long programs are cut; null for no functions. */
  readonly functionLines?: number | null;
  /** Whether programs are to measure how long each of their kernels takes. */
  readonly isProfiled?: boolean;
  /** Whether programs are to tell the host which kernel they are in. */
  readonly isTraced?: boolean;
}

/** Bytes of device memory by which the blocks of a program meet. */
export const controlBytes = 256;

/**
 * A program as PTX, a module for compute capability 8.0 and newer, 9.0 where blocks are a cluster, with one entry,
 *
 *     .visible .entry vibe_rl_run(.param .u64 memory, .param .u64 control, .param .u64 host)
 *
 * `memory` is where the plan's addresses begin, aligned to 256 bytes. `control` is device memory, zero before the first launch
 * and left alone by the host afterwards: blocks meet by it. `host` is 64 bytes of pinned host memory that the device sees, zero
 * before each launch. To have a message printed, the program writes its number plus one into the first word there and waits
 * until the host, which reads the values at their slots, has written 0. Programs that are traced write the number, plus one, of
 * the kernel that the first block is in into the second word.
 */
export interface PtxProgram {
  readonly text: string;
  /** Registers that a thread may have in functions, of which the text has some then; null where it has none. */
  readonly registers: number | null;
  /** Blocks that run at the same time, and threads of each. */
  readonly blocks: number;
  readonly threads: number;
  /** Whether the blocks are a cluster, which the text says; otherwise several are a cooperative launch. */
  readonly isCluster: boolean;
  /** Dynamic shared memory of a block. */
  readonly sharedBytes: number;
  /** Names of its kernels, by their numbers. */
  readonly kernels: readonly string[];
  /** What it does, as text for people. */
  readonly schedule: () => string;
  /**
   * Where in memory the kernels' times are, four words of 64 bits for each: cycles of the first block's processor and how
   * often it has run, and the same of waiting before it. Null where they are not measured.
   */
  readonly profile: number | null;
}
