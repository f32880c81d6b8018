// The one font of our pictures: how wide a text is, and its outlines.
import { arimo } from "./arimo.js";
import { readTrueType, type Contour, type Font } from "./trueType.js";

let font: Font | undefined;

/** The font file, for those who draw text themselves. */
export const fontFile = (): Uint8Array => Uint8Array.from(atob(arimo), (letter) => letter.charCodeAt(0));

export const fontFamily = "Arimo";

/** A character that the font does not have is drawn as a question mark. */
function glyphOf(character: string) {
  font ??= readTrueType(fontFile());
  const glyph = font(character) ?? font("?");
  if (glyph === null) throw new Error("the font has no question mark");
  return glyph;
}

/** How wide a text is, in the unit of `size`. */
export const textWidth = (text: string, size: number): number =>
  [...text].reduce((sum, character) => sum + glyphOf(character).advance, 0) * size;

/** A text that is at most so wide: what does not fit is cut out of its middle, because ends tell runs apart. */
export function fitText(text: string, size: number, width: number): string {
  const letters = [...text];
  for (let keep = letters.length; keep > 1; keep--) {
    const head = Math.ceil(keep / 2);
    const tail = letters.slice(letters.length - (keep - head));
    const fitted = keep === letters.length ? text : [...letters.slice(0, head), "…", ...tail].join("");
    if (textWidth(fitted, size) <= width) return fitted;
  }
  return letters.slice(0, 1).join("");
}

/** The outlines of a text that starts at 0 on the baseline, in ems; y grows upwards. */
export function textContours(text: string): Contour[] {
  let start = 0;
  return [...text].flatMap((character) => {
    const { advance, contours } = glyphOf(character);
    const from = start;
    start += advance;
    return contours.map((contour) => contour.map(([x, y]) => [x + from, y] as const));
  });
}
