// Small readers of the files we write, from the formats' descriptions, not from our writers.
import { inflateSync } from "node:zlib";

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** 0xrrggbb of a pixel. */
  at(x: number, y: number): number;
}

/** Reads a PNG of 8-bit red, green and blue, with any of the row filters 0 to 2. */
export function readPng(bytes: Uint8Array): Picture {
  const file = Buffer.from(bytes);
  if (file.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n") throw new Error("no PNG");
  const data: Buffer[] = [];
  for (let at = 8; at < file.length; at += file.readUInt32BE(at) + 12) {
    if (file.toString("latin1", at + 4, at + 8) === "IDAT") {
      data.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
    }
  }
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const stride = 3 * width;
  const packed = inflateSync(Buffer.concat(data));
  if (packed.length !== (stride + 1) * height) throw new Error("wrong size");
  const pixels = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = packed[row * (stride + 1)];
    for (let at = 0; at < stride; at++) {
      const left = at < 3 ? 0 : pixels[row * stride + at - 3];
      const above = row === 0 ? 0 : pixels[(row - 1) * stride + at];
      pixels[row * stride + at] = packed[row * (stride + 1) + 1 + at] + [0, left, above][filter];
    }
  }
  return { width, height, at: (x, y) => pixels.readUIntBE(3 * (y * width + x), 3) };
}

export interface GifFrame {
  readonly delay: number;
  /** 0xrrggbb of every pixel, once this frame lies on those before. */
  readonly pixels: readonly number[];
}

/** Unpacks GIF's LZW by building the reader's table of strings. */
function unpack(data: Uint8Array, bits: number): number[] {
  const clear = 1 << bits;
  const roots = Array.from({ length: clear + 2 }, (_, value) => [value]);
  let table = [...roots];
  let before: number[] | null = null;
  const values: number[] = [];
  for (let bit = 0; ;) {
    // Codes are as long as the next one to be learnt needs.
    const size = Math.min(12, Math.floor(Math.log2(table.length)) + 1);
    if (bit + size > 8 * data.length) throw new Error("the data end too early");
    let code = 0;
    for (let at = 0; at < size; at++, bit++) code |= ((data[bit >> 3] >> (bit & 7)) & 1) << at;
    if (code === clear) {
      table = [...roots];
      before = null;
      continue;
    }
    if (code === clear + 1) return values;
    if (before !== null && code > table.length) throw new Error(`code ${code} of ${table.length}`);
    const text: number[] = code < table.length ? table[code] : [...(before ?? []), (before ?? [])[0]];
    if (before !== null && table.length < 4096) table.push([...before, text[0]]);
    for (const value of text) values.push(value);
    before = text;
  }
}

/** Reads an animated GIF with one palette. */
export function readGif(bytes: Uint8Array) {
  const file = Buffer.from(bytes);
  if (file.toString("latin1", 0, 6) !== "GIF89a") throw new Error("no GIF");
  const [width, height] = [file.readUInt16LE(6), file.readUInt16LE(8)];
  const colors = 2 << (file[10] & 7);
  const color = (index: number): number => file.readUIntBE(13 + 3 * index, 3);
  let at = 13 + 3 * colors;
  const blocks = (): Buffer => {
    const parts: Buffer[] = [];
    for (; file[at] !== 0; at += file[at] + 1) parts.push(file.subarray(at + 1, at + 1 + file[at]));
    at++;
    return Buffer.concat(parts);
  };
  const frames: GifFrame[] = [];
  let screen = Array<number>(width * height).fill(-1);
  let control: Uint8Array = new Uint8Array(4);
  let loops: number | null = null;
  for (; file[at] !== 0x3b;) {
    if (file[at] === 0x21) {
      const kind = file[at + 1];
      at += 2;
      const data = blocks();
      if (kind === 0xf9) control = data;
      else if (data.toString("latin1", 0, 11) === "NETSCAPE2.0") loops = data.readUInt16LE(12);
    } else {
      const [left, top, columns, rows] = [1, 3, 5, 7].map((offset) => file.readUInt16LE(at + offset));
      const bits = file[at + 10];
      at += 11;
      const values = unpack(blocks(), bits);
      if (values.length !== columns * rows)
        throw new Error(`${values.length} pixels, not ${columns} × ${rows}`);
      screen = [...screen];
      values.forEach((value, index) => {
        const isTransparent = (control[0] & 1) === 1 && value === control[3];
        const pixel = (top + Math.floor(index / columns)) * width + left + (index % columns);
        if (!isTransparent) screen[pixel] = color(value);
      });
      frames.push({ delay: control[1] | (control[2] << 8), pixels: screen });
    }
  }
  return { width, height, loops, frames };
}
