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

  constructor(readonly sizes: FuseSizes) {}

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
