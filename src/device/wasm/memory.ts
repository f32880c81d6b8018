// WebAssembly memory in which programs run.
import { fail, viewBytes, type TypedArray } from "../../array/index.js";
import { pageBytes, type Slot } from "../../compiler/index.js";
import type { OpenMemory } from "../executable.js";

export class WasmMemory implements OpenMemory {
  readonly memory = new WebAssembly.Memory({ initial: 1 });
  owner: object | null = null;

  ensure(bytes: number): void {
    const missing = Math.ceil((bytes - this.memory.buffer.byteLength) / pageBytes);
    if (missing <= 0) return;
    try {
      this.memory.grow(missing);
    } catch (cause) {
      fail(
        "jit",
        `the program needs ${(bytes / 2 ** 30).toFixed(2)} GiB of memory, which the engine would not give ` +
          `(${String(cause)}); use smaller arrays, or free memory`,
      );
    }
  }

  view({ dtype, address }: Slot, size: number): TypedArray {
    return viewBytes(dtype, this.memory.buffer, address, size);
  }

  read(slot: Slot, size: number): TypedArray {
    return this.view(slot, size).slice();
  }

  write(slot: Slot, elements: TypedArray): void {
    this.view(slot, elements.length).set(elements);
  }
}
