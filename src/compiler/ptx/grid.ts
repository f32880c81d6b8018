// How blocks of a program wait for each other: those of a cluster by its barrier, others count their arrivals in memory.
import type { PtxText } from "./text.js";

/** Where in the control block a part leaves what the next one goes on with. */
const [handedSide, handedSeen] = [192, 196];

export class Grid {
  /** The number of arrivals at which the next meeting is complete; it wraps around. Null for a cluster. */
  private readonly target: string | null;
  /** 0 or 1, in turns. */
  readonly side: string;
  /** Where blocks count that something was too much for them, and how often that had been seen. */
  readonly tooMany: string;
  private readonly seen: string;

  constructor(
    private readonly out: PtxText,
    private readonly control: string,
    private readonly thread: string,
    private readonly blocks: number,
    isCluster: boolean,
    /** Whether a part of the program has come before this one, maybe to somewhere between two meetings of an exchange. */
    goesOn: boolean,
  ) {
    // The last program has left there how many arrivals there had been at its end.
    this.target = isCluster ? null : out.effect("ld.volatile.global.u32", "b32", `[${control}+128]`);
    const word = (place: string) => out.effect("ld.volatile.global.u32", "b32", `[${place}]`);
    this.side = goesOn ? word(`${control}+${handedSide}`) : out.effect("mov.u32", "b32", "0");
    this.tooMany = out.effect("add.u64", "b64", control, "64");
    this.seen = word(goesOn ? `${control}+${handedSeen}` : this.tooMany);
  }

  /** Whether something was too much for a block since this was asked last; all blocks must have met in between. */
  wasTooMany(): string {
    const { out, seen, tooMany } = this;
    const now = out.effect("ld.volatile.global.u32", "b32", `[${tooMany}]`);
    const isMore = out.effect("setp.ne.u32", "pred", now, seen);
    out.line(`mov.u32 ${seen}, ${now};`);
    return isMore;
  }

  /** All threads of all blocks wait for each other; what they have written all can read. */
  meet(): void {
    const { out, control, target, thread, blocks } = this;
    if (target === null) {
      // Arriving releases what was written, and who has waited acquires it.
      out.line("barrier.cluster.arrive.aligned;");
      out.line("barrier.cluster.wait.aligned;");
      return;
    }
    out.line(`add.u32 ${target}, ${target}, ${blocks};`);
    out.line("bar.sync 0;");
    const isFirst = out.effect("setp.eq.u32", "pred", thread, "0");
    out.when(isFirst, () => {
      // What the other threads of the block have written goes along: they have met this one. So it is for those who read.
      out.line(`red.release.gpu.global.add.u32 [${control}], 1;`);
      const again = out.newLabel();
      out.place(again);
      const arrived = out.effect("ld.acquire.gpu.global.u32", "b32", `[${control}]`);
      const missing = out.effect("sub.s32", "b32", arrived, target);
      out.line(`@${out.effect("setp.lt.s32", "pred", missing, "0")} bra ${again};`);
    });
    out.line("bar.sync 0;");
  }

  /** The next exchange goes by the other place: who writes there has met all who read what was there. */
  turn(): void {
    this.out.line(`xor.b32 ${this.side}, ${this.side}, 1;`);
  }

  /** Leaves the count for the next program, and what another part of this one goes on with. */
  end(isGoingOn: boolean): void {
    const { out, control, thread, target, side, seen } = this;
    if (target === null && !isGoingOn) return;
    if (target !== null) this.meet();
    const block = out.effect("mov.u32", "b32", "%ctaid.x");
    const isFirst = out.effect("setp.eq.u32", "pred", out.effect("or.b32", "b32", thread, block), "0");
    const leave = (offset: number, word: string) =>
      out.line(`@${isFirst} st.volatile.global.u32 [${control}+${offset}], ${word};`);
    if (target !== null) leave(128, target);
    if (!isGoingOn) return;
    leave(handedSide, side);
    leave(handedSeen, seen);
  }
}
