// Storing the values of points, with a look at whether the kernel keeps its promises.
import type { Buffer, DotKernel, LoopKernel, Store } from "../../src/compiler/kernel.js";
import { loadsOf } from "../../src/compiler/walk.js";
import { combined, type Memory, type PointValues } from "./kernelValues.js";

/** Stores the values of points, and sees to it that a kernel keeps what it says about them. */
export class Writer {
  private readonly written = new Map<Buffer, Set<number>>();

  constructor(
    private readonly memory: Memory,
    private readonly kernel: LoopKernel | DotKernel,
    stores: readonly Store[],
  ) {
    const loaded = new Set(loadsOf(kernel).all.map(({ buffer }) => buffer));
    const both = stores.find(({ address }) => loaded.has(address.buffer));
    if (both !== undefined) throw new Error(`${kernel.name} loads from ${both.address.buffer.name}, too`);
  }

  /** All stores of the point that was visited last, whose values are known by now. */
  store(stores: readonly Store[], values: PointValues): void {
    for (const { address, value, combine, guard } of stores) {
      if (!values.holds(guard)) continue;
      const { buffer } = address;
      const at = values.addressOf(address);
      this.note(buffer, at);
      const there = combine === "set" ? 0 : this.memory.read(buffer, at);
      this.memory.write(buffer, at, combined(combine, buffer.dtype, there, values.of(value)));
    }
  }

  private note(buffer: Buffer, at: number): void {
    const { kernel } = this;
    if (kernel.kind === "loop" && kernel.order !== "free") return;
    const elements = this.written.get(buffer) ?? new Set();
    this.written.set(buffer, elements);
    if (elements.has(at)) throw new Error(`${kernel.name} writes element ${at} of ${buffer.name} twice`);
    elements.add(at);
  }
}
