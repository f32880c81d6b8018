// The arguments of a plugin's calls for the store (PJRT_KeyValue…Callback_Args), and how a call fails.
import { viewMemory, type Koffi } from "../../koffi.js";

/** Arguments at an address: words of eight bytes. */
export class Arguments {
  private readonly view: DataView;

  constructor(
    private readonly koffi: Koffi,
    address: bigint,
  ) {
    this.view = new DataView(viewMemory(koffi, address, 96));
  }

  word(at: number): bigint {
    return this.view.getBigUint64(8 * at, true);
  }

  int(at: number): number {
    return this.view.getInt32(8 * at, true);
  }

  set(at: number, value: bigint): void {
    this.view.setBigUint64(8 * at, value, true);
  }

  /** A copy of the bytes that two words, an address and a length, say. */
  bytes(at: number): Uint8Array {
    const length = Number(this.word(at + 1));
    return length === 0
      ? new Uint8Array()
      : new Uint8Array(viewMemory(this.koffi, this.word(at), length)).slice();
  }

  text(at: number): string {
    return new TextDecoder().decode(this.bytes(at));
  }

  /** An error of the plugin's own making; `at` is the word that leads to its function for them. */
  error(at: number, code: number, message: string): bigint {
    const pointer = new DataView(viewMemory(this.koffi, this.word(at), 8)).getBigUint64(0, true);
    const type = this.koffi.proto("void *", ["int", "str", "size_t"]);
    const make = this.koffi.decode(pointer, type) as (code: number, text: string, size: number) => bigint;
    return make(code, message, new TextEncoder().encode(message).length);
  }
}

/** Where fields are, in words. */
export const fields = {
  put: { key: 2, value: 4, error: 6 },
  get: { key: 2, timeout: 4, error: 5, value: 7, deleter: 9 },
  tryGet: { key: 2, error: 4, value: 6, deleter: 8 },
} as const;

/** The type of a plugin's calls: a pointer to arguments in, an error or nothing out. */
export const callbackType = (koffi: Koffi): unknown => koffi.pointer(koffi.proto("void *", ["void *"]));
