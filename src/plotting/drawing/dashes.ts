// Dashed lines as the dashes that they are made of, so that every format draws the same ones.
import { line, type Line, type Point } from "./shapes.js";

/** A line, or its dashes, which are longer where it is wider. */
export const lines = (points: readonly Point[], color: string, width: number, isDashed: boolean): Line[] =>
  (isDashed ? dashesOf(points, 3 * width, 1.8 * width) : [points]).map((part) => line(part, color, width));

/** The dashes along a line: so long, and so far apart. */
export function dashesOf(points: readonly Point[], dash: number, gap: number): Point[][] {
  const dashes: Point[][] = [];
  let current: Point[] = [points[0]];
  let isDrawn = true;
  let left = dash;
  for (let at = 1; at < points.length; at++) {
    let from = points[at - 1];
    const to = points[at];
    for (let rest = Math.hypot(to[0] - from[0], to[1] - from[1]); rest >= left && rest > 0;) {
      const share = left / rest;
      from = [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
      rest -= left;
      if (isDrawn) dashes.push([...current, from]);
      current = [from];
      isDrawn = !isDrawn;
      left = isDrawn ? dash : gap;
    }
    const rest = Math.hypot(to[0] - from[0], to[1] - from[1]);
    left -= rest;
    if (rest > 0) current.push(to);
  }
  if (isDrawn && current.length > 1) dashes.push(current);
  return dashes;
}
