// What the regions of one compilation have in common: buffers, counters, messages.
import type { DType } from "../../array/index.js";
import type { Buffer, Counter, Place } from "../kernel.js";
import type { FuseSizes } from "./planning.js";
import type { FusedProgram } from "./program.js";

/** What all regions of one compilation share. */
export class Shared {
  readonly buffers: Buffer[] = [];
  readonly counters: Counter[] = [];
  readonly messages: FusedProgram["messages"][number][] = [];

  /** How often what is built now runs, as far as that is known: the lengths of the loops around it, multiplied. */
  timesRun = 1;

  constructor(readonly sizes: FuseSizes) {}

  /** Builds something inside of a loop. */
  inLoop(length: number, build: () => void): void {
    const outside = this.timesRun;
    this.timesRun *= length;
    build();
    this.timesRun = outside;
  }

  buffer(dtype: DType, size: number, name: string): Buffer {
    const buffer = { id: this.buffers.length, dtype, size, name };
    this.buffers.push(buffer);
    return buffer;
  }

  counter(length: number): Counter {
    const counter = { id: this.counters.length, length };
    this.counters.push(counter);
    return counter;
  }
}

export const placeAt = (buffer: Buffer): Place => ({ buffer, offset: 0, counters: [] });
