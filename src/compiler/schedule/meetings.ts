// Where the threads of a program have to wait for each other: before a kernel touches what another thread may still
// write, or writes what another may still read.
import { itemSize } from "../../array/index.js";
import type { Buffer, Kernel } from "../kernel.js";
import { accessesOf, type Range } from "../plan/accesses.js";
import type { MemoryPlan } from "../plan/arena.js";
import { isSameLayout, rowAccesses, type Layout, type RowAccess, type Rows } from "./rows.js";

/** Who touches memory: one worker alone, by its number, or all of them. */
export type Who = number | "all";

export interface Touch {
  readonly start: number;
  readonly end: number;
  readonly isWrite: boolean;
  readonly who: Who;
  /** Where each thread touches nothing but its own rows: how these lie. */
  readonly rows: Layout | null;
}

/** Fast memory is apart from all other, and so is that by which parts exchange something. */
const [fastStart, stagedStart] = [2 ** 50, 2 ** 51];

/** What has been touched since the threads last met. */
export class Meetings {
  constructor(
    private readonly plan: MemoryPlan,
    /** Whether a kernel that touches a part of a buffer leaves the rest to others at the same time. */
    private readonly isByParts = false,
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

  /** What a kernel reads and writes, done by one worker, by all, or by each for its own rows. */
  accesses(kernel: Kernel, who: Who | Rows): Touch[] {
    if (typeof who !== "object")
      return accessesOf(kernel).map(({ buffer, kind, range }) =>
        this.touch(buffer, kind === "write", who, this.isByParts ? range : undefined),
      );
    return rowAccesses(kernel, who).map((access) => this.touchByRows(access));
  }

  touch(
    buffer: Buffer,
    isWrite: boolean,
    who: Who,
    { start: first, end }: Range = { start: 0, end: buffer.size },
  ): Touch {
    const { addresses, fast, staged } = this.plan;
    const place = staged.get(buffer);
    const start =
      place === undefined
        ? (addresses.get(buffer) ?? 0) + (fast.has(buffer) ? fastStart : 0)
        : stagedStart + place.offset;
    const bytes = itemSize(buffer.dtype);
    return { start: start + first * bytes, end: start + end * bytes, isWrite, who, rows: null };
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
    if (mustMeet) this.clear();
    this.add(touches);
    return mustMeet;
  }

  /** Whether the threads must meet before something is touched. */
  forbids(touches: readonly Touch[]): boolean {
    const { pending } = this;
    return touches.some((touch) => {
      for (const before of pending) if (!isOfOne(before, touch) && conflict(before, touch)) return true;
      return false;
    });
  }

  /** Who has touched what something that is touched next must wait for. */
  waitedFor(touches: readonly Touch[]): ReadonlySet<Who> {
    const found = new Set<Who>();
    for (const before of this.pending)
      if (!found.has(before.who) && touches.some((touch) => conflict(before, touch))) found.add(before.who);
    return found;
  }

  /** Takes note of what is touched next, without a meeting before. */
  add(touches: readonly Touch[]): void {
    this.pending = new Set([...this.pending, ...touches]);
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
    return new Meetings(this.plan, this.isByParts, this.pending);
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

/** Whether one worker does both, one after the other. */
const isOfOne = (a: Touch, b: Touch): boolean => a.who !== "all" && a.who === b.who;

const conflict = (a: Touch, b: Touch): boolean =>
  (a.isWrite || b.isWrite) &&
  a.start < b.end &&
  b.start < a.end &&
  !(a.rows !== null && b.rows !== null && isSameLayout(a.rows, b.rows));
