// What has been touched on the way through a program, and by whom: so that threads wait for each other where they must.
import type { Meetings } from "../schedule/meetings.js";
import type { CommonUse } from "./commonUse.js";

/** What has been touched when a block has come so far. */
export class State {
  constructor(
    /** Since the threads of the block last met. */
    readonly block: Meetings,
    /** By lanes of each warp, since they last waited for each other. */
    readonly warps: Map<number, Meetings>,
    /** What blocks have in common. */
    readonly common: CommonUse,
    /** Threads that have had something to do since the block last met. */
    public busy = 0,
  ) {}

  fork(): State {
    const warps = new Map([...this.warps].map(([warp, meetings]) => [warp, meetings.fork()]));
    return new State(this.block.fork(), warps, this.common.fork(), this.busy);
  }

  /** Takes in what has been touched on other ways. */
  join(others: readonly State[]): void {
    this.block.join(others.map(({ block }) => block));
    for (const warp of new Set(others.flatMap(({ warps }) => [...warps.keys()]))) {
      const ways = others.flatMap(({ warps }) => warps.get(warp) ?? []);
      const joined = ways[0].fork();
      joined.join(ways);
      this.warps.set(warp, joined);
    }
    this.common.join(others.map(({ common }) => common));
    this.busy = Math.max(...others.map(({ busy }) => busy));
  }

  /** Whether all that another one knows of is known here. */
  covers(other: State): boolean {
    return (
      this.block.covers(other.block) &&
      this.common.covers(other.common) &&
      [...other.warps].every(([warp, meetings]) => {
        const own = this.warps.get(warp);
        return own === undefined ? !meetings.isPending : own.covers(meetings);
      })
    );
  }

  blockHasMet(): void {
    this.block.clear();
    this.warps.clear();
    this.busy = 0;
  }
}
