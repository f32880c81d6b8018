// The legend: how large it is, where it hides nothing, how it is drawn.
import type { LegendPlace } from "../config.js";
import { interpolate, evenly } from "../data/series.js";
import { lines } from "../drawing/dashes.js";
import { area, corners, text, type Box, type Point, type Shape } from "../drawing/shapes.js";
import { textWidth } from "../font/index.js";

/** What the legend must not hide: for points along x, what lies between two heights. */
export interface Obstacle {
  readonly x: readonly number[];
  readonly top: readonly number[];
  readonly bottom: readonly number[];
}

export interface LegendEntry {
  readonly name: string;
  readonly color: string;
  readonly hasBand: boolean;
  readonly isDashed: boolean;
}

export interface LegendStyle {
  readonly size: number;
  readonly ink: string;
  readonly background: string;
  readonly lineWidth: number;
  readonly bandOpacity: number;
}

const swatch = 1.9;
const padding = 0.6;
const rowHeight = 1.45;
const inset = 6;

export const legendWidth = (entries: readonly LegendEntry[], size: number): number =>
  Math.max(...entries.map(({ name }) => textWidth(name, size))) + (swatch + 0.6 + 2 * padding) * size;

/** The size of letters at which all entries fit below one another. */
export const fittingSize = (entries: readonly LegendEntry[], size: number, height: number): number =>
  Math.min(size, (height - 2 * inset) / (entries.length * rowHeight + 2 * padding));

const legendHeight = (entries: readonly LegendEntry[], size: number): number =>
  (entries.length * rowHeight + 2 * padding - 0.35) * size;

type Corner = Exclude<LegendPlace, "auto" | "outside" | "none">;

// Reward curves rise, so that the lower right is most often free.
const preferred: readonly Corner[] = ["lower right", "upper left", "upper right", "lower left"];

/** The legend's box in a corner of the plot. */
function boxIn(plot: Box, corner: Corner, width: number, height: number): Box {
  const left = corner.endsWith("left") ? plot.left + inset : plot.right - inset - width;
  const top = corner.startsWith("upper") ? plot.top + inset : plot.bottom - inset - height;
  return { left, top, right: left + width, bottom: top + height };
}

/** How many of a curve's stretches, each about two points wide, a box hides. */
function hiddenBy(box: Box, { x, top, bottom }: Obstacle): number {
  const from = Math.max(x[0], box.left);
  const to = Math.min(x[x.length - 1], box.right);
  if (from > to) return 0;
  const grid = evenly(from, to, Math.max(2, Math.ceil((to - from) / 2)));
  const [tops, bottoms] = [top, bottom].map((y) => interpolate({ x, y }, grid));
  return grid.slice(1).filter((_, at) => {
    const highest = Math.min(tops[at], tops[at + 1]);
    const lowest = Math.max(bottoms[at], bottoms[at + 1]);
    return highest <= box.bottom && lowest >= box.top;
  }).length;
}

/** The box of the legend inside the plot; `null` if it hides data in every corner. */
export function placeLegend(
  plot: Box,
  entries: readonly LegendEntry[],
  size: number,
  place: Corner | "auto",
  obstacles: readonly Obstacle[],
): Box | null {
  const box = (corner: Corner): Box =>
    boxIn(plot, corner, legendWidth(entries, size), legendHeight(entries, size));
  if (place !== "auto") return box(place);
  const free = preferred.find((corner) =>
    obstacles.every((obstacle) => hiddenBy(box(corner), obstacle) === 0),
  );
  return free === undefined ? null : box(free);
}

/** The box of a legend right of the plot. */
export const besidePlot = (plot: Box, entries: readonly LegendEntry[], size: number): Box => ({
  left: plot.right + inset,
  top: plot.top,
  right: plot.right + inset + legendWidth(entries, size),
  bottom: plot.top + legendHeight(entries, size),
});

export function drawLegend(box: Box, entries: readonly LegendEntry[], style: LegendStyle): Shape[] {
  const { size, ink, background, lineWidth, bandOpacity } = style;
  const left = box.left + padding * size;
  const right = left + swatch * size;
  const rows = entries.flatMap(({ name, color, hasBand, isDashed }, row): Shape[] => {
    const baseline = box.top + (padding + 0.82 + row * rowHeight) * size;
    const middle = baseline - 0.34 * size;
    const stripe: Point[] = corners({ left, right, top: middle - 0.36 * size, bottom: middle + 0.36 * size });
    const ends: Point[] = [
      [left, middle],
      [right, middle],
    ];
    return [
      ...(hasBand ? [area(stripe, color, bandOpacity)] : []),
      ...lines(ends, color, lineWidth, isDashed),
      text(name, [right + 0.6 * size, baseline], { size, color: ink }),
    ];
  });
  return [area(corners(box), background, 0.85), ...rows];
}
