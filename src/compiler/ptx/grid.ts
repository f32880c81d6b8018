// How blocks of a program wait for each other: those of a cluster by its barrier, others count their arrivals in memory.
import type { PtxText } from "./text.js";

/** Where in the control block blocks count what was too much for them, and a program leaves how many arrivals there were. */
const [countedAt, arrivedAt] = [64, 128];

interface Meeting {
  readonly out: PtxText;
  readonly control: string;
  readonly thread: string;
  readonly blocks: number;
}

export class Grid {
  /** Where blocks count that something was too much for them, and how often that had been seen. */
  readonly tooMany: string;

  private constructor(
    private readonly meeting: Meeting,
    /** 0 or 1, in turns. */
    readonly side: string,
    private readonly seen: string,
    /** The number of arrivals at which the next meeting is complete; it wraps around. Null for a cluster. */
    private readonly target: string | null,
  ) {
    const { out, control } = meeting;
    this.tooMany = out.effect("add.u64", "b64", control, String(countedAt));
  }

  /** At the start of a program. */
  static begun(meeting: Meeting, isCluster: boolean): Grid {
    const { out, control } = meeting;
    const word = (offset: number) => out.effect("ld.volatile.global.u32", "b32", `[${control}+${offset}]`);
    const side = out.effect("mov.u32", "b32", "0");
    // The last program has left there how many arrivals there had been at its end.
    return new Grid(meeting, side, word(countedAt), isCluster ? null : word(arrivedAt));
  }

  /** The words that change while blocks meet. */
  get changing(): readonly string[] {
    const { side, seen, target } = this;
    return target === null ? [side, seen] : [side, seen, target];
  }

  /** The same in a function, which takes the words that change. */
  within(out: PtxText, control: string, thread: string, take: (word: string) => string): Grid {
    const [side, seen, target = null] = this.changing.map(take);
    return new Grid({ out, control, thread, blocks: this.meeting.blocks }, side, seen, target);
  }

  /** Whether something was too much for a block since this was asked last; all blocks must have met in between. */
  wasTooMany(): string {
    const { seen, tooMany } = this;
    const { out } = this.meeting;
    const now = out.effect("ld.volatile.global.u32", "b32", `[${tooMany}]`);
    const isMore = out.effect("setp.ne.u32", "pred", now, seen);
    out.line(`mov.u32 ${seen}, ${now};`);
    return isMore;
  }

  /** All threads of all blocks wait for each other; what they have written all can read. */
  meet(): void {
    const { target } = this;
    const { out, control, thread, blocks } = this.meeting;
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
    this.meeting.out.line(`xor.b32 ${this.side}, ${this.side}, 1;`);
  }

  /** Leaves the count for the next program. */
  end(): void {
    const { target } = this;
    if (target === null) return;
    const { out, control, thread } = this.meeting;
    this.meet();
    const block = out.effect("mov.u32", "b32", "%ctaid.x");
    const isFirst = out.effect("setp.eq.u32", "pred", out.effect("or.b32", "b32", thread, block), "0");
    out.line(`@${isFirst} st.volatile.global.u32 [${control}+${arrivedAt}], ${target};`);
  }
}
