// How long kernels take, from the start of one to the start of the next, as the first thread's processor counts, and how long
// that thread waits for others before them.
import type { PtxText } from "./text.js";

/** Bytes for a kernel: cycles and how often, of its own and of waiting before it. */
export const stopwatchBytes = 32;

export class Stopwatch {
  private readonly since: string;
  /** Where the times of the kernel are that runs now. */
  private readonly current: string;
  private readonly isFirst: string;

  constructor(
    private readonly out: PtxText,
    thread: string,
    private readonly memory: string,
    /** Where in memory they are noted. */
    private readonly address: number,
  ) {
    const block = out.effect("mov.u32", "b32", "%ctaid.x");
    this.isFirst = out.effect("setp.eq.u32", "pred", out.effect("or.b32", "b32", thread, block), "0");
    this.since = out.effect("mov.u64", "b64", "%clock64");
    this.current = out.effect("mov.u64", "b64", "0");
  }

  /** A kernel ends, and the one of a number begins, or waiting before it. */
  next(kernel: number, isWaiting = false): void {
    this.stop();
    const at = this.address + stopwatchBytes * kernel + (isWaiting ? stopwatchBytes / 2 : 0);
    this.out.line(`add.u64 ${this.current}, ${this.memory}, ${at};`);
  }

  stop(): void {
    const { out, since, current, isFirst } = this;
    const now = out.effect("mov.u64", "b64", "%clock64");
    const cycles = out.effect("sub.u64", "b64", now, since);
    out.line(`mov.u64 ${since}, ${now};`);
    const isRunning = out.effect("setp.ne.u64", "pred", current, "0");
    const notes = out.effect("and.pred", "pred", isFirst, isRunning);
    out.line(`@${notes} red.global.add.u64 [${current}], ${cycles};`);
    out.line(`@${notes} red.global.add.u64 [${current}+8], 1;`);
  }
}
