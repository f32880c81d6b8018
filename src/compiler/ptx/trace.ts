// Which kernel a program is in, told to the host before each of them, so that one that fails can be named.
import type { PtxText } from "./text.js";

export class Trace {
  private readonly isFirst: string;

  constructor(
    private readonly out: PtxText,
    thread: string,
    private readonly host: string,
  ) {
    const block = out.effect("mov.u32", "b32", "%ctaid.x");
    this.isFirst = out.effect("setp.eq.u32", "pred", out.effect("or.b32", "b32", thread, block), "0");
  }

  /** The kernel of a number begins. The block waits, so that none of its threads is still before it or already in it. */
  next(kernel: number): void {
    const { out, host, isFirst } = this;
    out.line("bar.sync 0;");
    out.when(isFirst, () => {
      out.line(`st.volatile.global.u32 [${host}+4], ${kernel + 1};`);
      out.line("membar.sys;");
    });
    out.line("bar.sync 0;");
  }
}
