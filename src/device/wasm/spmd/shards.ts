// Results of programs for several devices: they stay where they were computed until they are asked for.
import { fail, type Shards, type TypedArray } from "../../../array/index.js";
import type { Slot } from "../../../compiler/index.js";
import { viewSlot, type SharedMemory } from "./memory.js";

export class ResidentShards implements Shards {
  private readonly elements = new Map<number, TypedArray>();
  /** Whether the memory is still this result's. */
  private isHere = true;

  constructor(
    private readonly slot: Slot,
    private readonly shared: SharedMemory,
  ) {}

  /** A copy of a device's block, made once. */
  read(device: number): TypedArray {
    const known = this.elements.get(device);
    if (known !== undefined) return known;
    const copy = this.peek(device).slice();
    this.elements.set(device, copy);
    return copy;
  }

  /** A device's block as long as nothing runs, not copied. */
  peek(device: number): TypedArray {
    const known = this.elements.get(device);
    if (known !== undefined) return known;
    if (!this.isHere) {
      fail(
        "spmd",
        "this array was given up to a later call (donateArgnums), which has used its memory; " +
          "use what that call returned, or do not donate the argument",
      );
    }
    return viewSlot(this.shared, device, this.slot);
  }

  /** Whether it lies at an address of a memory. */
  isAt(shared: SharedMemory, address: number): boolean {
    return this.isHere && this.shared === shared && this.slot.address === address;
  }

  /** Copies all blocks that are still in memory. */
  save(): void {
    this.shared.bases.forEach((_, device) => this.read(device));
  }

  /** Gives up the memory. */
  leave(): void {
    this.isHere = false;
  }
}
