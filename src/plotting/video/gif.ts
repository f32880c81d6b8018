// Animated GIF: one palette for all frames; a frame holds only the rectangle that changed, and in it what has not
// changed is transparent, which compresses to almost nothing.
import { joined } from "../../files/index.js";
import { needFiles } from "../../node/index.js";
import { fail } from "../error.js";
import { writePicture } from "../writePicture.js";
import { colorAt, type Frame } from "./frame.js";
import { lzw } from "./lzw.js";
import { paletteOf, type Palette } from "./quantize.js";

export interface GifOptions {
  /** Frames a second, up to 50, the most that browsers show (30). */
  readonly fps?: number;
  /** How often it plays; 0 is for ever (0). */
  readonly loops?: number;
}

/** One colour number is kept for "as before". */
export const mostColors = 255;

const word = (value: number): number[] => [value & 255, value >> 8];

const letters = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));

/** Data in blocks of up to 255 bytes, each behind its length; an empty one ends it. */
function blocks(data: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const part = data.subarray(at, at + 255);
    parts.push(Uint8Array.of(part.length), part);
  }
  return joined([...parts, Uint8Array.of(0)]);
}

function checkOptions(operation: string, { fps = 30, loops = 0 }: GifOptions): Required<GifOptions> {
  if (!(fps > 0 && fps <= 50)) fail(operation, `fps must be greater than 0 and at most 50, got ${fps}`);
  if (!Number.isInteger(loops) || loops < 0 || loops > 65535) {
    fail(operation, `loops must be a whole number from 0 to 65535, got ${loops}`);
  }
  return { fps, loops };
}

/** The box around the pixels that differ from the frame before; one pixel if none does. */
function changedBox({ width, height, pixels }: Frame, before: Frame | null) {
  if (before === null) return { left: 0, top: 0, width, height };
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let pixel = 0; pixel < width * height; pixel++) {
    if (colorAt(pixels, pixel) === colorAt(before.pixels, pixel)) continue;
    const column = pixel % width;
    const row = (pixel - column) / width;
    left = Math.min(left, column);
    right = Math.max(right, column + 1);
    top = Math.min(top, row);
    bottom = row + 1;
  }
  if (bottom === 0) return { left: 0, top: 0, width: 1, height: 1 };
  return { left, top, width: right - left, height: bottom - top };
}

/** Writes frames one by one, so that a long video never lies in memory as pixels. */
export function gifEncoder(operation: string, palette: Palette, options: GifOptions) {
  const { fps, loops } = checkOptions(operation, options);
  const transparent = palette.colors.length;
  const bits = Math.max(2, Math.ceil(Math.log2(transparent + 1)));
  const parts: Uint8Array[] = [];
  let first: Frame | null = null;
  let before: Frame | null = null;
  let count = 0;

  const header = ({ width, height }: Frame): Uint8Array => {
    const table = new Uint8Array(3 << bits);
    palette.colors.forEach((color, at) => table.set([color >> 16, (color >> 8) & 255, color & 255], 3 * at));
    const screen = [...word(width), ...word(height), 0x80 | (bits - 1), 0, 0];
    const looping = [0x21, 0xff, 11, ...letters("NETSCAPE2.0"), 3, 1, ...word(loops), 0];
    return Uint8Array.from([...letters("GIF89a"), ...screen, ...table, ...looping]);
  };

  const add = (frame: Frame): void => {
    if (first === null) {
      first = frame;
      parts.push(header(frame));
    }
    if (frame.width !== first.width || frame.height !== first.height) {
      const sizes = [frame, first].map(({ width, height }) => `${width} × ${height}`);
      fail(
        operation,
        `all frames must be of one size, but frame ${count} is ${sizes[0]} and the first is ${sizes[1]}`,
      );
    }
    const box = changedBox(frame, before);
    const indices = new Uint8Array(box.width * box.height);
    for (let at = 0; at < indices.length; at++) {
      const pixel = (box.top + Math.floor(at / box.width)) * frame.width + box.left + (at % box.width);
      const color = colorAt(frame.pixels, pixel);
      const isSame = before !== null && colorAt(before.pixels, pixel) === color;
      indices[at] = isSame ? transparent : palette.indexOf(color);
    }
    // Times are hundredths of a second; rounding must not add up.
    const time = (frames: number): number => Math.round((frames * 100) / fps);
    const delay = time(count + 1) - time(count);
    // Frames stay under the next one (4) and have a transparent colour (1).
    const control = [0x21, 0xf9, 4, 4 | 1, ...word(delay), transparent, 0];
    const place = [0x2c, ...word(box.left), ...word(box.top), ...word(box.width), ...word(box.height), 0];
    parts.push(Uint8Array.from([...control, ...place, bits]), blocks(lzw(indices, bits)));
    before = frame;
    count++;
  };

  return { add, finish: (): Uint8Array => joined([...parts, Uint8Array.of(0x3b)]) };
}

function checkFrame(operation: string, { width, height, pixels }: Frame, at: number): void {
  if (pixels.length === 4 * width * height) return;
  const wanted = `${4 * width * height} bytes (${width} × ${height} × 4)`;
  fail(operation, `frame ${at} must have ${wanted} of red, green, blue, opacity, got ${pixels.length}`);
}

function checkFrames(operation: string, frames: readonly Frame[]): void {
  if (frames.length === 0) fail(operation, "needs at least one frame");
  frames.forEach((frame, at) => checkFrame(operation, frame, at));
}

/** An animated GIF that grows frame by frame. */
export interface Gif {
  add(frame: Frame): void;
  /** The bytes of the file. */
  finish(): Uint8Array;
}

/**
 * Begins an animated GIF, in Node and in browsers. Its colours are chosen from `sample`, some of the frames that it will
 * have: up to 255 colours in all are kept exactly.
 */
export function createGif(sample: readonly Frame[], options: GifOptions = {}): Gif {
  checkFrames("createGif", sample);
  const encoder = gifEncoder("createGif", paletteOf(sample, mostColors), options);
  let count = 0;
  return {
    add(frame) {
      checkFrame("createGif", frame, count++);
      encoder.add(frame);
    },
    finish() {
      if (count === 0) fail("createGif", "needs at least one frame: add comes before finish");
      return encoder.finish();
    },
  };
}

/** Writes pixels as an animated GIF. Up to 255 colours in all are kept exactly. */
export function writeGif(file: string, frames: readonly Frame[], options: GifOptions = {}): void {
  needFiles("writeGif");
  checkFrames("writeGif", frames);
  const encoder = gifEncoder("writeGif", paletteOf(frames, mostColors), options);
  for (const frame of frames) encoder.add(frame);
  writePicture("writeGif", file, encoder.finish());
}
