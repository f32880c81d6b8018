// What blocks may still be reading of what they have in common: before it is overwritten they have to meet.
import type { Buffer, Kernel } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import type { MemoryPlan } from "../plan/arena.js";

export class Readers {
  /** Addresses that have been read since all blocks met. */
  private readonly read = new Set<number | undefined>();
  /** Whether nothing else can have been: not so where a loop goes on, or branches come together. */
  private isAll = false;

  constructor(private readonly plan: Pick<MemoryPlan, "addresses" | "division">) {}

  note(kernel: Kernel): void {
    const { addresses, division } = this.plan;
    for (const { buffer, kind } of accessesOf(kernel))
      if (kind === "read" && division.common.has(buffer)) this.read.add(addresses.get(buffer));
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
    const isRead = (buffer: Buffer) => this.read.has(this.plan.addresses.get(buffer));
    return buffers.length > 0 && (!this.isAll || buffers.some(isRead));
  }
}
