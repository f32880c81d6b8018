// What blocks may still be reading of what they have in common: before it is overwritten they have to meet.
import { itemSize } from "../../array/index.js";
import type { Buffer, Kernel } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import type { MemoryPlan } from "../plan/arena.js";

interface Range {
  readonly start: number;
  readonly end: number;
}

export class Readers {
  constructor(
    private readonly plan: Pick<MemoryPlan, "addresses" | "division">,
    /** What has been read since all blocks met. */
    private read: ReadonlyMap<Buffer, Range> = new Map(),
  ) {}

  note(kernel: Kernel): void {
    const { common } = this.plan.division;
    const found = accessesOf(kernel).filter(
      ({ buffer, kind }) => kind === "read" && common.has(buffer) && !this.read.has(buffer),
    );
    if (found.length > 0)
      this.read = new Map([
        ...this.read,
        ...found.map(({ buffer }) => [buffer, this.rangeOf(buffer)] as const),
      ]);
  }

  haveMet(): void {
    this.read = new Map();
  }

  mayRead(buffers: readonly Buffer[]): boolean {
    const ranges = [...this.read.values()];
    return buffers.some((buffer) => {
      const { start, end } = this.rangeOf(buffer);
      return ranges.some((range) => start < range.end && range.start < end);
    });
  }

  fork(): Readers {
    return new Readers(this.plan, this.read);
  }

  /** Takes in what has been read on other ways. */
  join(others: readonly Readers[]): void {
    this.read = new Map(others.flatMap(({ read }) => [...read]));
  }

  /** Whether all that others have read is known here. */
  covers(other: Readers): boolean {
    return [...other.read.keys()].every((buffer) => this.read.has(buffer));
  }

  private rangeOf(buffer: Buffer): Range {
    const start = this.plan.addresses.get(buffer) ?? 0;
    return { start, end: start + buffer.size * itemSize(buffer.dtype) };
  }
}
