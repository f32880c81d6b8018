// Where the threads of a program have to wait for each other: before a kernel touches what another thread may still
// write, or writes what another may still read.
import { itemSize } from "../../array/index.js";
import type { Buffer, Kernel } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import type { MemoryPlan } from "../plan/arena.js";
import { isSameLayout, rowAccesses, type Layout, type RowAccess, type Rows } from "./rows.js";

/** Who touches memory: the first thread alone, or all of them. */
export type Who = "first" | "all";

export interface Touch {
  readonly start: number;
  readonly end: number;
  readonly isWrite: boolean;
  readonly who: Who;
  /** Where each thread touches nothing but its own rows: how these lie. */
  readonly rows: Layout | null;
}

/** Fast memory is apart from all other. */
const fastStart = 2 ** 50;

/** What has been touched since the threads last met. */
export class Meetings {
  constructor(
    private readonly plan: MemoryPlan,
    private pending: ReadonlySet<Touch> = new Set(),
  ) {}

  /** What a kernel touches, its working memory too. */
  touchesOf(kernel: Kernel, who: Who): Touch[] {
    const scratch = this.plan.scratch.get(kernel);
    return [
      ...this.accesses(kernel, who),
      ...(scratch === undefined ? [] : [this.touch(scratch, true, who)]),
    ];
  }

  /** What a kernel reads and writes, done by the first thread, by all, or by each for its own rows. */
  accesses(kernel: Kernel, who: Who | Rows): Touch[] {
    if (typeof who === "string")
      return accessesOf(kernel).map(({ buffer, kind }) => this.touch(buffer, kind === "write", who));
    return rowAccesses(kernel, who).map((access) => this.touchByRows(access));
  }

  touch(buffer: Buffer, isWrite: boolean, who: Who): Touch {
    const { addresses, fast } = this.plan;
    const start = (addresses.get(buffer) ?? 0) + (fast.has(buffer) ? fastStart : 0);
    return { start, end: start + buffer.size * itemSize(buffer.dtype), isWrite, who, rows: null };
  }

  /** What threads touch, each for its own rows. */
  touchByRows({ buffer, isWrite, layout }: RowAccess): Touch {
    const touch = this.touch(buffer, isWrite, "all");
    const rows = layout === null ? null : { ...layout, start: touch.start + layout.start };
    return { ...touch, rows };
  }

  /** Takes note of what is touched next; returns whether the threads must meet before. */
  next(touches: readonly Touch[]): boolean {
    const mustMeet = this.forbids(touches);
    this.pending = new Set(mustMeet ? touches : [...this.pending, ...touches]);
    return mustMeet;
  }

  /** Whether the threads must meet before something is touched. */
  forbids(touches: readonly Touch[]): boolean {
    const { pending } = this;
    return touches.some((touch) => {
      for (const before of pending) if (conflict(before, touch)) return true;
      return false;
    });
  }

  /** Whether anything has been touched since the threads last met. */
  get isPending(): boolean {
    return this.pending.size > 0;
  }

  /** The threads have met. */
  clear(): void {
    this.pending = new Set();
  }

  /** As things are now, for a way that may be taken. */
  fork(): Meetings {
    return new Meetings(this.plan, this.pending);
  }

  /** Whether all that another way has touched is known here. */
  covers(other: Meetings): boolean {
    return [...other.pending].every((touch) => this.pending.has(touch));
  }

  /** Takes in what other ways have touched. */
  join(others: readonly Meetings[]): void {
    this.pending = new Set(others.flatMap(({ pending }) => [...pending]));
  }
}

const conflict = (a: Touch, b: Touch): boolean =>
  (a.isWrite || b.isWrite) &&
  a.start < b.end &&
  b.start < a.end &&
  !(a.who === "first" && b.who === "first") &&
  !(a.rows !== null && b.rows !== null && isSameLayout(a.rows, b.rows));
