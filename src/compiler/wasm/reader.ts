// Reading bytes with WebAssembly's number encodings.

export class Reader {
  constructor(
    private readonly bytes: Uint8Array,
    /** Position of the next byte. */
    public at = 0,
    /** Position behind the last byte. */
    private readonly end = bytes.length,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  /** Says what is wrong and where. */
  fail(reason: string, at = this.at): never {
    throw new Error(`WebAssembly module, byte ${at} (0x${at.toString(16)}): ${reason}`);
  }

  byte(): number {
    if (this.isAtEnd) this.fail("the bytes end too early");
    return this.bytes[this.at++];
  }

  /** The next so many bytes, not copied. */
  take(count: number): Uint8Array {
    if (this.at + count > this.end) this.fail(`the bytes end too early: ${count} are missing`);
    return this.bytes.subarray(this.at, (this.at += count));
  }

  /** An unsigned LEB128 number. */
  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  /** A signed LEB128 number of at most 32 bits. */
  signed(): number {
    let value = 0;
    for (let shift = 0; ;) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte < 0x80) return shift < 32 && (byte & 0x40) !== 0 ? value | (-1 << shift) : value;
    }
  }

  /** A name: its length, then UTF-8. */
  text(): string {
    return new TextDecoder().decode(this.take(this.unsigned()));
  }

  /** A list: how many, then each. */
  list<T>(item: () => T): T[] {
    return Array.from({ length: this.unsigned() }, item);
  }

  /** Part of the bytes that must be read to its end: how many, then they. */
  part<T>(read: (reader: Reader) => T): T {
    const count = this.unsigned();
    const start = this.at;
    this.take(count);
    const reader = new Reader(this.bytes, start, start + count);
    const result = read(reader);
    if (!reader.isAtEnd) reader.fail(`${start + count - reader.at} bytes are left over`);
    return result;
  }
}
