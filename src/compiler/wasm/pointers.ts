// Addresses inside loops: one running pointer for all accesses that move alike, the rest in the instruction's
// constant offset.
import { itemSize } from "../../array/index.js";
import type { Address, Buffer, Counter, Kernel, Place } from "../kernel.js";
import type { Assembler } from "./assembler.js";
import type { Loop } from "../schedule/nest.js";

export const itemBytes = (buffer: Buffer): number => itemSize(buffer.dtype);

/** Where things are: static addresses of buffers, locals of the loop counters around. */
export interface Surroundings {
  readonly addressOf: (buffer: Buffer) => number;
  /** Where a kernel's working memory begins. */
  readonly scratchOf: (kernel: Kernel) => number;
  readonly counterLocal: (counter: Counter) => number;
}

/** A pointer that moves with the loops. */
interface Pointer {
  readonly local: number;
  /** Bytes per step of each loop. */
  readonly steps: readonly number[];
}

/** What an access adds to its pointer. */
export interface Access {
  readonly pointer: number | null;
  readonly offset: number;
}

/** Adds to the address on the stack what it has moved with the loops around. */
export function addCounters(
  asm: Assembler,
  { buffer, counters }: Pick<Place, "buffer" | "counters">,
  surroundings: Surroundings,
): void {
  for (const { counter, stride } of counters) {
    asm
      .get(surroundings.counterLocal(counter))
      .i32(stride * itemBytes(buffer))
      .op("i32.mul")
      .op("i32.add");
  }
}

export class Pointers {
  /** Steps of each loop that accesses are ahead of the pointers, for code that is written out several times. */
  readonly ahead: number[];
  private readonly known = new Map<string, Pointer>();
  /** Code that sets the pointers, run before the loops. */
  private readonly starts: (() => void)[] = [];

  constructor(
    private readonly asm: Assembler,
    private readonly loops: readonly Loop[],
    private readonly surroundings: Surroundings,
  ) {
    this.ahead = loops.map(() => 0);
  }

  /** The pointer and constant offset of an address, its computed part aside. */
  access({ buffer, offset, strides, counters }: Address): Access {
    const { asm } = this;
    const item = itemBytes(buffer);
    const steps = this.loops.map(({ axis }) => strides[axis] * item);
    const base = this.surroundings.addressOf(buffer) + offset * item;
    const isMoving = steps.some((step) => step !== 0) || counters.length > 0;
    if (!isMoving) return { pointer: null, offset: base };
    const ahead = steps.reduce((sum, step, loop) => sum + step * this.ahead[loop], 0);
    // Offsets are unsigned: a pointer that moves down must hold the whole address.
    const isAbsolute = steps.some((step) => step < 0) || base < 0;
    const key = `${steps.join()} ${counters.map(({ counter, stride }) => `${counter.id}*${stride * item}`).join()} ${isAbsolute ? base : ""}`;
    let pointer = this.known.get(key);
    if (pointer === undefined) {
      const local = asm.local("i32");
      pointer = { local, steps };
      this.known.set(key, pointer);
      this.starts.push(() => {
        asm.i32(isAbsolute ? base : 0);
        addCounters(asm, { buffer, counters }, this.surroundings);
        asm.set(local);
      });
    }
    return { pointer: pointer.local, offset: (isAbsolute ? 0 : base) + ahead };
  }

  /** Sets all pointers to the first point. */
  start(): void {
    this.starts.forEach((start) => start());
  }

  /** Moves the pointers by so many steps of a loop. */
  advance(loop: number, count: number): void {
    for (const { local, steps } of this.known.values()) {
      if (steps[loop] !== 0) this.asm.advance(local, steps[loop] * count);
    }
  }
}

/** Pushes the address of an access. */
export function pushPointer(asm: Assembler, { pointer }: Access): void {
  if (pointer === null) asm.i32(0);
  else asm.get(pointer);
}
