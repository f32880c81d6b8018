// Pixels as a PNG file.
import { zlib } from "../../node/index.js";
import type { Pixels } from "./raster.js";

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb88320;
  return crc >>> 0;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/** Rows as differences from the row above (PNG's filter 2): most of a chart is the same as above. */
function filtered({ width, height, rgb }: Pixels): Uint8Array {
  const stride = 3 * width;
  const rows = new Uint8Array((stride + 1) * height);
  let above: Uint8Array = new Uint8Array(stride);
  for (let row = 0; row < height; row++) {
    const to = row * (stride + 1);
    rows[to] = 2;
    const own = rgb.subarray(row * stride, (row + 1) * stride);
    if (Buffer.compare(own, above) !== 0)
      for (let at = 0; at < stride; at++) rows[to + 1 + at] = own[at] - above[at];
    above = own;
  }
  return rows;
}

/** The bytes of a PNG file; `dpi` is how large it is printed. */
export function toPng(pixels: Pixels, dpi: number): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels.width, 0);
  header.writeUInt32BE(pixels.height, 4);
  // 8 bits a channel, red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const perMetre = Math.round(dpi / 0.0254);
  const size = Buffer.alloc(9);
  size.writeUInt32BE(perMetre, 0);
  size.writeUInt32BE(perMetre, 4);
  size[8] = 1;
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("pHYs", size),
    chunk("IDAT", zlib.deflateSync(filtered(pixels), { level: 6 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
