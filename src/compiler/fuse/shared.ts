// What the regions of one compilation have in common: buffers, counters, messages.
import type { DebugPrintParams, DType } from "../../array/index.js";
import type { Buffer, Counter, Place } from "../kernel.js";

/** What all regions of one compilation share. */
export class Shared {
  readonly buffers: Buffer[] = [];
  readonly counters: Counter[] = [];
  readonly messages: DebugPrintParams[] = [];
  readonly messageValues: { readonly place: Place; readonly shape: readonly number[] }[][] = [];

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
