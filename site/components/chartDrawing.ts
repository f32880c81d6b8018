// Curves and bands on a chart's canvas. No more than a few points a pixel column are drawn, however many there are.
import type { ChartSeries, Range } from "./chartCurves.js";
import { lowerBound } from "./chartCurves.js";

/** Where a chart's plane lies on the canvas, in its pixels, and what it shows. */
export interface Plane {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly x: Range;
  readonly y: Range;
  readonly isLog: boolean;
}

/** From a value to its height on the canvas; NaN for what a logarithmic scale cannot show. */
function heightOn({ top, height, y, isLog }: Plane): (value: number) => number {
  const scale = isLog ? Math.log : (value: number) => value;
  const low = scale(y.min);
  const perUnit = height / (scale(y.max) - low);
  return (value) => {
    const above = (scale(value) - low) * perUnit;
    // Far outside is outside; canvases lose precision out there.
    return Number.isFinite(above) ? top + height - Math.max(-1e5, Math.min(1e5, above)) : NaN;
  };
}

/** The points of a curve that matter between the plane's sides. */
function visible(x: ArrayLike<number>, { min, max }: Range): { from: number; to: number } {
  return { from: Math.max(0, lowerBound(x, min) - 1), to: Math.min(x.length, lowerBound(x, max) + 1) };
}

/** A line through the points; a column of pixels with many of them is drawn from its lowest to its highest. */
export function linePath(x: ArrayLike<number>, y: ArrayLike<number>, plane: Plane): Path2D {
  const path = new Path2D();
  const height = heightOn(plane);
  const perUnit = plane.width / (plane.x.max - plane.x.min);
  const { from, to } = visible(x, plane.x);
  let isDown = false;
  let column = NaN;
  let lowest = 0;
  let highest = 0;
  let last = 0;
  const finishColumn = (): void => {
    if (lowest === highest) return;
    path.lineTo(column, lowest);
    path.lineTo(column, highest);
    path.lineTo(column, last);
  };
  for (let at = from; at < to; at++) {
    const place = height(y[at]);
    if (Number.isNaN(place)) {
      finishColumn();
      isDown = false;
      column = NaN;
      lowest = highest = 0;
      continue;
    }
    const across = Math.round((plane.left + (x[at] - plane.x.min) * perUnit) * 2) / 2;
    if (across === column) {
      lowest = Math.min(lowest, place);
      highest = Math.max(highest, place);
      last = place;
      continue;
    }
    finishColumn();
    if (isDown) path.lineTo(across, place);
    else path.moveTo(across, place);
    isDown = true;
    column = across;
    lowest = highest = last = place;
  }
  finishColumn();
  return path;
}

/** The area between two lines over the same x. */
export function bandPath(
  x: ArrayLike<number>,
  low: ArrayLike<number>,
  high: ArrayLike<number>,
  plane: Plane,
): Path2D {
  const path = new Path2D();
  const height = heightOn(plane);
  const perUnit = plane.width / (plane.x.max - plane.x.min);
  const { from, to } = visible(x, plane.x);
  const floor = plane.top + plane.height;
  const points: [number, number, number][] = [];
  for (let at = from; at < to; at++) {
    const across = plane.left + (x[at] - plane.x.min) * perUnit;
    const top = height(high[at]);
    const bottom = height(low[at]);
    if (!Number.isNaN(top)) points.push([across, top, Number.isNaN(bottom) ? floor : bottom]);
  }
  points.forEach(([across, top], at) => (at === 0 ? path.moveTo(across, top) : path.lineTo(across, top)));
  points.reverse().forEach(([across, , bottom]) => path.lineTo(across, bottom));
  path.closePath();
  return path;
}

/** A curve as it is drawn: the values as they came, faint, and the line over them. */
export interface DrawnSeries extends ChartSeries {
  readonly color: string;
  /** The values before smoothing, where they are to be seen. */
  readonly raw: ArrayLike<number> | null;
}

/** Draws all curves; lines get thinner when there are many. */
export function drawSeries(
  context: CanvasRenderingContext2D,
  curves: readonly DrawnSeries[],
  plane: Plane,
  { pixelRatio, resolve }: { pixelRatio: number; resolve: (color: string) => string },
): void {
  context.save();
  context.beginPath();
  context.rect(plane.left, plane.top, plane.width, plane.height);
  context.clip();
  context.lineJoin = "round";
  const lineWidth = (curves.length > 40 ? 1 : 1.75) * pixelRatio;
  const draw = (path: Path2D, color: string, alpha: number, isArea: boolean): void => {
    context.globalAlpha = alpha;
    if (isArea) {
      context.fillStyle = color;
      context.fill(path);
    } else {
      context.strokeStyle = color;
      context.lineWidth = lineWidth;
      context.stroke(path);
    }
  };
  for (const { x, low, high, color } of curves) {
    if (low !== undefined && high !== undefined)
      draw(bandPath(x, low, high, plane), resolve(color), 0.2, true);
  }
  for (const { x, raw, color } of curves) {
    if (raw !== null) draw(linePath(x, raw, plane), resolve(color), 0.25, false);
  }
  const alpha = curves.length > 40 ? 0.6 : 1;
  for (const { x, y, color } of curves) {
    if (x.length === 1) drawDot(context, x[0], y[0], plane, resolve(color), 3 * pixelRatio);
    else draw(linePath(x, y, plane), resolve(color), alpha, false);
  }
  context.restore();
}

/** One point alone has no line. */
function drawDot(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  plane: Plane,
  color: string,
  radius: number,
): void {
  const across = plane.left + ((x - plane.x.min) / (plane.x.max - plane.x.min)) * plane.width;
  const down = heightOn(plane)(y);
  if (Number.isNaN(down)) return;
  context.globalAlpha = 1;
  context.fillStyle = color;
  context.beginPath();
  context.arc(across, down, radius, 0, 2 * Math.PI);
  context.fill();
}
