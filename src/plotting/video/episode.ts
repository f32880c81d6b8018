// A video of an episode, from the SVG pictures that environments draw.
import { fail } from "../error.js";
import { writePicture } from "../writePicture.js";
import type { Frame } from "./frame.js";
import { gifEncoder, mostColors, type GifOptions } from "./gif.js";
import { paletteOf } from "./quantize.js";
import { svgRenderer } from "./svgFrame.js";

export interface EpisodeGifOptions extends GifOptions {
  /** Width in pixels; `null` is the pictures' own (null). */
  readonly width?: number | null;
}

/** How many frames the colours are chosen from. */
const sampled = 8;

/** Some of the frames, at equal distances, the first and the last among them. */
const sampleOf = <T>(all: readonly T[]): T[] =>
  all.length <= sampled
    ? [...all]
    : Array.from({ length: sampled }, (_, at) => all[Math.round((at * (all.length - 1)) / (sampled - 1))]);

/** Writes SVG pictures, one a step, as an animated GIF. */
export async function renderEpisodeGif(
  frames: readonly string[],
  file: string,
  { width = null, ...options }: EpisodeGifOptions = {},
): Promise<void> {
  if (frames.length === 0) fail("renderEpisodeGif", "needs at least one frame");
  if (width !== null && !(Number.isInteger(width) && width > 0 && width <= 4096)) {
    fail("renderEpisodeGif", `width must be null or a whole number from 1 to 4096, got ${width}`);
  }
  const draw = await svgRenderer("renderEpisodeGif");
  const frame = (svg: string): Frame => draw(svg, width);
  const encoder = gifEncoder("renderEpisodeGif", paletteOf(sampleOf(frames).map(frame), mostColors), options);
  for (const svg of frames) encoder.add(frame(svg));
  writePicture("renderEpisodeGif", file, encoder.finish());
}
