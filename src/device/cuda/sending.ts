// Copies from arrays of JavaScript to a GPU.
import type { CudaDevice } from "./device.js";
import { halfBytes, halvesOf, type Half } from "./halves.js";

/** Copies begin at multiples of so many bytes. */
const alignment = 256;
const attempted = "copying to the GPU";

export class Sending {
  private readonly half: (which: number) => Half;
  private current = 0;
  private used = 0;
  /** Whether copies from the other half may still be under way. */
  private isOtherBusy = false;

  constructor(private readonly device: CudaDevice) {
    this.half = halvesOf(device);
  }

  /** Copies bytes: they are taken at once, and are there when the next program begins. */
  write(to: bigint, bytes: Uint8Array): void {
    const { device } = this;
    device.needIdle();
    const { cuMemcpyHtoDAsync_v2: copy } = device.driver.call;
    for (let at = 0; at < bytes.length;) {
      if (this.used >= halfBytes) this.turn();
      const { bytes: half, host } = this.half(this.current);
      const count = Math.min(halfBytes - this.used, bytes.length - at);
      half.set(bytes.subarray(at, at + count), this.used);
      if (this.isOtherBusy) {
        device.wait(device.work, attempted);
        this.isOtherBusy = false;
      }
      device.check(copy(to + BigInt(at), host + BigInt(this.used), count, device.work), attempted);
      this.used += Math.ceil(count / alignment) * alignment;
      at += count;
    }
  }

  /** Goes on with the other half, which nothing is copied from any more. */
  private turn(): void {
    this.current = 1 - this.current;
    this.used = 0;
    this.isOtherBusy = true;
  }

  /** Tells that all copies are done. */
  settle(): void {
    this.used = 0;
    this.isOtherBusy = false;
  }
}
