// Colours that people with any colour vision can tell apart, and on paper too.
import { fail } from "./error.js";

const colorBlindSafe: readonly string[] = [
  "#0077BB",
  "#EE7733",
  "#009988",
  "#CC3311",
  "#33BBEE",
  "#EE3377",
  "#BBBBBB",
  "#AA3377",
  "#DDCC77",
  "#44BB99",
];

let palette = colorBlindSafe;

/** The first `count` colours of the palette, from the start again when they run out; all of them by default. */
export const getColors = (count = palette.length): string[] =>
  Array.from({ length: count }, (_, at) => palette[at % palette.length]);

/** Replaces the palette of all later plots. */
export function setPalette(colors: readonly string[]): void {
  if (colors.length === 0) fail("setPalette", "needs at least one color, such as #0077BB");
  for (const color of colors) checkColor("setPalette", "a color", color);
  palette = [...colors];
}

/** Back to the colour-blind palette. */
export function resetPalette(): void {
  palette = colorBlindSafe;
}

/** The colour of the curve with this number, counted from 0. */
export function colorFor(index: number): string {
  if (!Number.isInteger(index) || index < 0)
    fail("colorFor", `index must be a whole number from 0, got ${index}`);
  return palette[index % palette.length];
}

/** Refuses what is not `#rrggbb`: PDF and PNG know no names of colours. */
export function checkColor(operation: string, name: string, color: string): void {
  if (!/^#[0-9a-f]{6}$/i.test(color)) {
    fail(operation, `${name} must be written #rrggbb, got ${JSON.stringify(color)}`);
  }
}
