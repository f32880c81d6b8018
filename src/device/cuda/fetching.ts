// Copies from a GPU to arrays of JavaScript. The GPU may be in the middle of a program, which waits.
import type { CudaDevice } from "./device.js";
import { halfBytes, halvesOf, type Half } from "./halves.js";

/** A stretch of memory, in bytes from where it begins. */
export interface Span {
  readonly address: number;
  readonly size: number;
}

/** How many bytes of spans can be fetched together. */
export const mostTogether = halfBytes;

const attempted = "copying from the GPU";

export class Fetching {
  private readonly half: (which: number) => Half;

  constructor(private readonly device: CudaDevice) {
    this.half = halvesOf(device);
  }

  /** Copies as many bytes as there is room for. */
  read(from: bigint, into: Uint8Array): void {
    this.device.needContext();
    const parts = Math.ceil(into.length / halfBytes);
    const sizeOf = (part: number): number => Math.min(halfBytes, into.length - part * halfBytes);
    const start = (part: number): void => {
      if (part < parts) this.start(this.half(part).host, from + BigInt(part * halfBytes), sizeOf(part));
    };
    start(0);
    for (let part = 0; part < parts; part++) {
      this.device.wait(this.device.transfers, attempted);
      start(part + 1);
      into.set(this.half(part).bytes.subarray(0, sizeOf(part)), part * halfBytes);
    }
  }

  /** Spans of a memory, at most `mostTogether` bytes of them, one behind the other. */
  readSpans(base: bigint, spans: readonly Span[]): Uint8Array {
    this.device.needContext();
    const { bytes, host } = this.half(0);
    let length = 0;
    for (const { address, size } of spans) {
      this.start(host + BigInt(length), base + BigInt(address), size);
      length += size;
    }
    this.device.wait(this.device.transfers, attempted);
    return bytes.slice(0, length);
  }

  private start(to: bigint, from: bigint, bytes: number): void {
    const { device } = this;
    device.check(device.driver.call.cuMemcpyDtoHAsync_v2(to, from, bytes, device.transfers), attempted);
  }
}
