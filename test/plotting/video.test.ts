// Animated GIFs, read back by a reader of our own.
import { readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGif, renderEpisodeGif, writeGif, type Frame } from "vibe-rl/plotting";
import { lzw } from "../../src/plotting/video/lzw.js";
import { readGif } from "./files.js";
import { newFolder } from "./runs.js";

let folder = "";
let file = "";
beforeAll(() => {
  folder = newFolder();
  file = path.join(folder, "videos", "episode.gif");
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A frame with the colour 0xrrggbb that a function says for each pixel. */
function frameOf(width: number, height: number, color: (x: number, y: number) => number): Frame {
  const pixels = new Uint8Array(4 * width * height);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const value = color(pixel % width, Math.floor(pixel / width));
    pixels.set([value >> 16, (value >> 8) & 255, value & 255, 255], 4 * pixel);
  }
  return { width, height, pixels };
}

function colorsOf({ pixels }: Frame): number[] {
  const bytes = Buffer.from(pixels);
  return Array.from({ length: pixels.length / 4 }, (_, at) => bytes.readUIntBE(4 * at, 3));
}

/** A square that moves over stripes. */
const moving = (count: number, size = 40): Frame[] =>
  Array.from({ length: count }, (_, at) =>
    frameOf(size, size, (x, y) =>
      Math.max(Math.abs(x - 2 * at), Math.abs(y - at)) < 5 ? 0xcc3311 : x % 7 === 0 ? 0x0077bb : 0xffffff,
    ),
  );

describe("createGif", () => {
  it("makes the bytes that writeGif writes, frame by frame", () => {
    const frames = moving(6);
    writeGif(file, frames, { fps: 20 });
    const gif = createGif(frames, { fps: 20 });
    for (const frame of frames) gif.add(frame);
    expect(Buffer.compare(gif.finish(), readFileSync(file))).toBe(0);
  });

  it("refuses frames without their pixels, and a video without frames", () => {
    const [frame] = moving(1);
    expect(() => createGif([])).toThrow("createGif: needs at least one frame");
    expect(() => createGif([frame]).finish()).toThrow("createGif: needs at least one frame");
    const gif = createGif([frame]);
    gif.add(frame);
    expect(() => gif.add({ ...frame, width: 41 })).toThrow("createGif: frame 1 must have 6560 bytes");
  });
});

describe("writeGif", () => {
  it("keeps every pixel of every frame where colours are few", () => {
    const frames = moving(12);
    writeGif(file, frames, { fps: 20 });
    const gif = readGif(readFileSync(file));
    expect([gif.width, gif.height, gif.loops, gif.frames.length]).toEqual([40, 40, 0, 12]);
    gif.frames.forEach(({ pixels, delay }, at) => {
      expect(delay).toBe(5);
      expect(pixels).toEqual(colorsOf(frames[at]));
    });
  });

  it("keeps time on average where hundredths of a second do not divide", () => {
    writeGif(file, moving(30, 12), { fps: 30, loops: 2 });
    const { frames, loops } = readGif(readFileSync(file));
    const delays = frames.map(({ delay }) => delay);
    expect(new Set(delays)).toEqual(new Set([3, 4]));
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBe(100);
    expect(loops).toBe(2);
  });

  it("keeps frames that do not change, at next to no cost", () => {
    const [frame] = moving(1);
    writeGif(file, [frame]);
    const alone = statSync(file).size;
    writeGif(file, Array<Frame>(11).fill(frame));
    expect(readGif(readFileSync(file)).frames.map(({ pixels }) => pixels)).toEqual(
      Array<number[]>(11).fill(colorsOf(frame)),
    );
    expect(statSync(file).size - alone).toBeLessThan(10 * 30);
  });

  it("comes near to every colour where there are thousands", () => {
    const frame = frameOf(64, 64, (x, y) => ((4 * x) << 16) | ((4 * y) << 8) | (2 * (x + y)));
    writeGif(file, [frame]);
    const [{ pixels }] = readGif(readFileSync(file)).frames;
    const errors = colorsOf(frame).flatMap((color, at) =>
      [16, 8, 0].map((shift) => Math.abs(((color >> shift) & 255) - ((pixels[at] >> shift) & 255))),
    );
    expect(Math.max(...errors)).toBeLessThan(24);
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(5);
  });

  it("keeps pictures of any size with any colours up to 255", () => {
    const sizes = fc.integer({ min: 1, max: 24 });
    fc.assert(
      fc.property(sizes, sizes, fc.integer({ min: 1, max: 255 }), fc.nat(), (width, height, colors, seed) => {
        const color = (x: number, y: number) => (((x * 7919 + y * 104729 + seed) >>> 0) % colors) * 65793;
        const frames = [0, 1].map((shift) => frameOf(width, height, (x, y) => color(x + shift, y)));
        writeGif(file, frames);
        const gif = readGif(readFileSync(file));
        expect(gif.frames.map(({ pixels }) => pixels)).toEqual(frames.map(colorsOf));
      }),
      { numRuns: 40 },
    );
  });

  it("refuses what is no video", () => {
    expect(() => writeGif(file, [])).toThrow("writeGif: needs at least one frame");
    expect(() => writeGif(file, moving(1), { fps: 60 })).toThrow(
      "fps must be greater than 0 and at most 50, got 60",
    );
    expect(() => writeGif(file, [...moving(1), ...moving(1, 41)])).toThrow(
      "all frames must be of one size, but frame 1 is 41 × 41 and the first is 40 × 40",
    );
    expect(() => writeGif(file, [{ width: 2, height: 2, pixels: new Uint8Array(12) }])).toThrow(
      "frame 0 must have 16 bytes (2 × 2 × 4) of red, green, blue, opacity, got 12",
    );
  });
});

it("compresses long noise, which fills the table of codes many times", () => {
  let seed = 1;
  const noise = Uint8Array.from({ length: 300 * 300 }, () => (seed = (seed * 48271) % 0x7fffffff) >> 8);
  const frame = frameOf(300, 300, (x, y) => noise[300 * y + x] * 65793);
  writeGif(file, [frame]);
  expect(lzw(noise, 8).length).toBeLessThan(noise.length * 1.5);
  // 256 greys do not fit beside the transparent one: each is at most one step off.
  const [{ pixels }] = readGif(readFileSync(file)).frames;
  colorsOf(frame).forEach((color, at) => {
    if (Math.abs((color & 255) - (pixels[at] & 255)) > 2) throw new Error(`pixel ${at}`);
  });
});

describe("renderEpisodeGif", () => {
  const svg = (x: number, extra = "") =>
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 40" width="60" height="40">` +
    `<rect width="60" height="40" fill="#ffffff"/><rect x="${x}" y="10" width="10" height="20" fill="#0077BB"/>${extra}</svg>`;

  it("draws SVG pictures, one a frame", async () => {
    await renderEpisodeGif([svg(0), svg(20), svg(40)], file, { fps: 10 });
    const { width, height, frames } = readGif(readFileSync(file));
    expect([width, height, frames.map(({ delay }) => delay)]).toEqual([60, 40, [10, 10, 10]]);
    frames.forEach(({ pixels }, at) => {
      expect(pixels[20 * 60 + 20 * at + 5]).toBe(0x0077bb);
      expect(pixels.filter((color) => color === 0x0077bb)).toHaveLength(200);
    });
  });

  it("scales, and draws text without fonts of the system", async () => {
    await renderEpisodeGif([svg(0, `<text x="20" y="30" font-size="20">Mm</text>`)], file, { width: 120 });
    const { width, height, frames } = readGif(readFileSync(file));
    expect([width, height]).toEqual([120, 80]);
    expect(frames[0].pixels.filter((color) => color === 0)).not.toHaveLength(0);
  });

  it("refuses what it cannot draw", async () => {
    await expect(renderEpisodeGif([], file)).rejects.toThrow("renderEpisodeGif: needs at least one frame");
    await expect(renderEpisodeGif(["no picture"], file)).rejects.toThrow('cannot draw "no picture"');
    await expect(renderEpisodeGif([svg(0)], file, { width: 0 })).rejects.toThrow("from 1 to 4096, got 0");
  });
});
