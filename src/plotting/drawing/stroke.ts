// The outline of a line that has a width.
import type { Point } from "./shapes.js";

const plus = ([x, y]: Point, [dx, dy]: Point, times = 1): Point => [x + times * dx, y + times * dy];

/** The directions of the segments, each of length 1. */
const directionsOf = (points: readonly Point[]): Point[] =>
  points.slice(1).map(([x, y], at) => {
    const [dx, dy] = [x - points[at][0], y - points[at][1]];
    const length = Math.hypot(dx, dy);
    return [dx / length, dy / length];
  });

/** Points on the outer side of a sharp bend, from one direction's normal to the next one's. */
function arc(center: Point, from: Point, to: Point, radius: number): Point[] {
  const start = Math.atan2(from[1], from[0]);
  const full = 2 * Math.PI;
  const turn = ((((Math.atan2(to[1], to[0]) - start + Math.PI) % full) + full) % full) - Math.PI;
  const steps = Math.ceil(Math.abs(turn) / 0.5);
  return Array.from({ length: steps + 1 }, (_, at) => {
    const angle = start + (turn * at) / steps;
    return plus(center, [Math.cos(angle), Math.sin(angle)], radius);
  });
}

/** One side of a line: the right one for a positive radius, the left one for a negative. */
function side(points: readonly Point[], directions: readonly Point[], radius: number): Point[] {
  const normal = ([dx, dy]: Point): Point => [dy, -dx];
  return points.flatMap((point, at): Point[] => {
    const before = directions[at - 1] ?? directions[at];
    const after = directions[at] ?? before;
    const [a, b] = [normal(before), normal(after)];
    const cosine = before[0] * after[0] + before[1] * after[1];
    // A gentle bend: the two edges meet in one point.
    if (cosine > 0.7) return [plus(point, plus(a, b), radius / (1 + cosine))];
    const isOuter = (before[0] * after[1] - before[1] * after[0]) * radius > 0;
    if (isOuter) {
      const flip = Math.sign(radius);
      const towards = ([x, y]: Point): Point => [flip * x, flip * y];
      return arc(point, towards(a), towards(b), Math.abs(radius));
    }
    // Through the bend itself, so that what overlaps turns the same way.
    return [plus(point, a, radius), point, plus(point, b, radius)];
  });
}

/** The polygon that a line of this width covers: round bends, straight ends; `null` for a single point. */
export function strokeOutline(line: readonly Point[], width: number): Point[] | null {
  const points = line.filter(
    ([x, y], at) => at === 0 || Math.hypot(x - line[at - 1][0], y - line[at - 1][1]) > 1e-6,
  );
  if (points.length < 2) return null;
  const directions = directionsOf(points);
  const radius = width / 2;
  return [...side(points, directions, radius), ...side(points, directions, -radius).reverse()];
}
