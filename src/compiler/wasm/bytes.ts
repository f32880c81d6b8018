// A growing byte buffer with WebAssembly's number encodings.

const scratch = new DataView(new ArrayBuffer(8));

export class Bytes {
  private data = new Uint8Array(256);
  length = 0;

  private reserve(count: number): void {
    if (this.length + count <= this.data.length) return;
    const grown = new Uint8Array(Math.max(this.data.length * 2, this.length + count));
    grown.set(this.data);
    this.data = grown;
  }

  byte(value: number): this {
    this.reserve(1);
    this.data[this.length++] = value;
    return this;
  }

  append(bytes: Uint8Array | Bytes): this {
    const source = bytes instanceof Bytes ? bytes.view() : bytes;
    this.reserve(source.length);
    this.data.set(source, this.length);
    this.length += source.length;
    return this;
  }

  /** A few bytes, one by one: cheaper than a bulk copy. */
  few(bytes: Uint8Array): this {
    this.reserve(bytes.length);
    for (const byte of bytes) this.data[this.length++] = byte;
    return this;
  }

  /** An unsigned LEB128 number. */
  unsigned(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.byte(rest);
  }

  /** A signed LEB128 number of at most 32 bits. */
  signed(value: number): this {
    let rest = value | 0;
    for (;;) {
      const low = rest & 0x7f;
      rest >>= 7;
      if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) return this.byte(low);
      this.byte(low | 0x80);
    }
  }

  float32(value: number): this {
    scratch.setFloat32(0, value, true);
    for (let at = 0; at < 4; at++) this.byte(scratch.getUint8(at));
    return this;
  }

  /** A name: its length, then UTF-8. */
  text(value: string): this {
    const encoded = new TextEncoder().encode(value);
    return this.unsigned(encoded.length).append(encoded);
  }

  /** What has been written so far, without copying. */
  view(): Uint8Array {
    return this.data.subarray(0, this.length);
  }
}
