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
  /** What has been read since all blocks met. */
  private readonly read = new Map<Buffer, Range>();
  /** Whether nothing else can have been: not so where a loop goes on, or branches come together. */
  private isAll = false;

  constructor(private readonly plan: Pick<MemoryPlan, "addresses" | "division">) {}

  note(kernel: Kernel): void {
    for (const { buffer, kind } of accessesOf(kernel))
      if (kind === "read" && this.plan.division.common.has(buffer))
        this.read.set(buffer, this.rangeOf(buffer));
  }

  haveMet(): void {
    this.read.clear();
    this.isAll = true;
  }

  /** From here on something else may have been read as well. */
  areUnknown(): void {
    this.isAll = false;
  }

  mayRead(buffers: readonly Buffer[]): boolean {
    const isRead = (buffer: Buffer) => {
      const { start, end } = this.rangeOf(buffer);
      for (const range of this.read.values()) if (start < range.end && range.start < end) return true;
      return false;
    };
    return buffers.length > 0 && (!this.isAll || buffers.some(isRead));
  }

  private rangeOf(buffer: Buffer): Range {
    const start = this.plan.addresses.get(buffer) ?? 0;
    return { start, end: start + buffer.size * itemSize(buffer.dtype) };
  }
}
