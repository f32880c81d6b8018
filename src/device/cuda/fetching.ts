// Copies from a GPU to arrays of JavaScript. The GPU may be in the middle of a program, which waits.
import type { CudaDevice } from "./device.js";
import { halfBytes, halvesOf, type Half } from "./halves.js";

/** A stretch of memory, in bytes from where it begins. */
export interface Span {
  readonly address: number;
  readonly size: number;
}

/** The bytes of spans. */
export const totalOf = (spans: readonly Span[]): number => spans.reduce((sum, { size }) => sum + size, 0);

const attempted = "copying from the GPU";

export class Fetching {
  private readonly half: (which: number) => Half;

  constructor(private readonly device: CudaDevice) {
    this.half = halvesOf(device);
  }

  /** Gets what it needs, which cannot be had while a program runs. */
  prepare(): void {
    this.half(0);
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

  /** Spans of a memory, no more of them than a half holds, one behind the other. */
  readSpans(base: bigint, spans: readonly Span[]): Uint8Array {
    this.device.needContext();
    this.startSpans(base, spans, this.device.transfers);
    this.device.wait(this.device.transfers, attempted);
    return this.takeSpans(spans);
  }

  /** The first half of this: a stream is to copy them when it comes to that. */
  startSpans(base: bigint, spans: readonly Span[], stream: bigint): void {
    const { host } = this.half(0);
    let length = 0;
    for (const { address, size } of spans) {
      this.start(host + BigInt(length), base + BigInt(address), size, stream);
      length += size;
    }
  }

  /** The second one, once the stream has done so. */
  takeSpans(spans: readonly Span[]): Uint8Array {
    return this.half(0).bytes.slice(0, totalOf(spans));
  }

  private start(to: bigint, from: bigint, bytes: number, stream = this.device.transfers): void {
    const { device } = this;
    device.check(device.driver.call.cuMemcpyDtoHAsync_v2(to, from, bytes, stream), attempted);
  }
}
