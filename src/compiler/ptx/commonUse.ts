// What blocks may still be reading, or have written, of what they have in common: before it is overwritten, or read, they have to
// meet.
import { itemSize } from "../../array/index.js";
import type { Buffer, Kernel } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import type { MemoryPlan } from "../plan/arena.js";

type Kind = "read" | "write";

export class CommonUse {
  constructor(
    private readonly plan: Pick<MemoryPlan, "addresses" | "division">,
    /** What has been read, and written, since all blocks met. */
    private read: ReadonlySet<Buffer> = new Set(),
    private written: ReadonlySet<Buffer> = new Set(),
  ) {}

  /** What a kernel reads, or writes, of what all blocks have. */
  of(kernel: Kernel, kind: Kind): Buffer[] {
    const { common } = this.plan.division;
    return accessesOf(kernel).flatMap((access) =>
      access.kind === kind && common.has(access.buffer) ? [access.buffer] : [],
    );
  }

  /** A kernel reads what others have written, and each block writes its share; or all meet before anybody reads that. */
  note(kernel: Kernel, isWriting: boolean): void {
    this.read = withAll(this.read, this.of(kernel, "read"));
    if (isWriting) this.written = withAll(this.written, this.of(kernel, "write"));
  }

  haveMet(): void {
    this.read = new Set();
    this.written = new Set();
  }

  /** Whether somebody may still read, or write, where buffers lie. */
  forbidsWriting(buffers: readonly Buffer[]): boolean {
    return this.overlaps(this.read, buffers) || this.overlaps(this.written, buffers);
  }

  /** Whether somebody may still write where buffers lie. */
  forbidsReading(buffers: readonly Buffer[]): boolean {
    return this.overlaps(this.written, buffers);
  }

  private overlaps(used: ReadonlySet<Buffer>, buffers: readonly Buffer[]): boolean {
    return buffers.some((buffer) => {
      const { start, end } = this.rangeOf(buffer);
      for (const other of used) {
        const range = this.rangeOf(other);
        if (start < range.end && range.start < end) return true;
      }
      return false;
    });
  }

  fork(): CommonUse {
    return new CommonUse(this.plan, this.read, this.written);
  }

  /** Takes in what has been read and written on other ways. */
  join(others: readonly CommonUse[]): void {
    this.read = new Set(others.flatMap(({ read }) => [...read]));
    this.written = new Set(others.flatMap(({ written }) => [...written]));
  }

  /** Whether all that others have read and written is known here. */
  covers(other: CommonUse): boolean {
    return (
      [...other.read].every((buffer) => this.read.has(buffer)) &&
      [...other.written].every((buffer) => this.written.has(buffer))
    );
  }

  private rangeOf(buffer: Buffer): { readonly start: number; readonly end: number } {
    const start = this.plan.addresses.get(buffer) ?? 0;
    return { start, end: start + buffer.size * itemSize(buffer.dtype) };
  }
}

/** A set with more in it; the same one if there is nothing new. */
function withAll(known: ReadonlySet<Buffer>, more: readonly Buffer[]): ReadonlySet<Buffer> {
  return more.every((buffer) => known.has(buffer)) ? known : new Set([...known, ...more]);
}
