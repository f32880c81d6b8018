// Memory that a plugin reads and writes: structures of the C interface as blocks of bytes that stay where they are.
import type { Koffi } from "../koffi.js";
import { offsets, type Offsets, type StructureName } from "./functions.js";

/** Larger than any structure of any version; what a newer one has at its end is zero, which is its default. */
const blockBytes = 256;

/** Bytes at an address that does not change as long as they are kept. */
export class Bytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly address: bigint;

  constructor(koffi: Koffi, given: number | Uint8Array) {
    // Memory of its own: small typed arrays live in the heap, which the garbage collector moves.
    const length = typeof given === "number" ? given : given.length;
    const buffer = new ArrayBuffer(Math.max(length, 8));
    this.bytes = new Uint8Array(buffer);
    if (typeof given !== "number") this.bytes.set(given);
    this.view = new DataView(buffer);
    this.address = koffi.address(this.bytes);
  }

  setWord(offset: number, value: bigint | number): void {
    this.view.setBigUint64(offset, BigInt.asUintN(64, BigInt(value)), true);
  }

  word(offset: number): bigint {
    return this.view.getBigUint64(offset, true);
  }
}

/**
 * Tells that some memory is needed up to here: a plugin knows its address only, and the garbage collector may take what
 * no line below refers to.
 */
export const keepUntilHere = (...memory: readonly unknown[]): void => {
  last.memory = memory;
  last.memory = [];
};

const last: { memory: readonly unknown[] } = { memory: [] };

/** A structure with named fields. */
export class Block extends Bytes {
  private readonly offsets: Offsets;

  constructor(koffi: Koffi, name: StructureName) {
    super(koffi, blockBytes);
    this.offsets = offsets[name];
    this.setWord(0, blockBytes);
  }

  set(values: Readonly<Record<string, bigint | number>>): this {
    for (const [name, value] of Object.entries(values)) this.setWord(this.offsets[name], value);
    return this;
  }

  /** Fields of four bytes. */
  setInt(name: string, value: number): this {
    this.view.setInt32(this.offsets[name], value, true);
    return this;
  }

  get(name: string): bigint {
    return this.word(this.offsets[name]);
  }

  int(name: string): number {
    return this.view.getInt32(this.offsets[name], true);
  }
}
