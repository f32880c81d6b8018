// How much of each pixel a polygon covers. Every edge adds the signed area to its right; a sum along each row
// then gives the exact share of every pixel, which is all that smooth edges need.
import type { Point } from "./shapes.js";

export interface Coverage {
  /** Adds a closed polygon, in pixels. Polygons that turn the other way cut holes. */
  add(points: readonly Point[]): void;
  /** Calls for each pixel that is covered at all, with its share in (0, 1], and starts anew. */
  flush(paint: (pixel: number, share: number) => void): void;
}

/** Collects polygons on a picture of `width` × `height` pixels. */
export function coverage(width: number, height: number): Coverage {
  // One column more: what lies right of the picture adds there.
  const stride = width + 2;
  const sums = new Float32Array(stride * height);
  // What has been touched, so that small shapes cost little.
  let [left, top, right, bottom] = [width, height, 0, 0];

  const clamp = (x: number): number => Math.min(Math.max(x, 0), width);

  /** The part of an edge inside one row of pixels, from xa to xb; `weight` is its signed height. */
  function addInRow(row: number, xa: number, xb: number, weight: number): void {
    const low = clamp(Math.min(xa, xb));
    const high = clamp(Math.max(xa, xb));
    const first = Math.floor(low);
    const last = Math.max(first, Math.ceil(high) - 1);
    left = Math.min(left, first);
    right = Math.max(right, last + 2);
    for (let column = first; column <= last; column++) {
      const from = Math.max(low, column);
      const to = Math.min(high, column + 1);
      const share = high > low ? (weight * (to - from)) / (high - low) : weight;
      const spill = share * ((from + to) / 2 - column);
      sums[row * stride + column] += share - spill;
      sums[row * stride + column + 1] += spill;
    }
  }

  function addEdge([x0, y0]: Point, [x1, y1]: Point): void {
    if (y0 === y1) return;
    const direction = y0 < y1 ? 1 : -1;
    const slope = (x1 - x0) / (y1 - y0);
    const from = Math.max(Math.min(y0, y1), 0);
    const to = Math.min(Math.max(y0, y1), height);
    if (from >= to) return;
    top = Math.min(top, Math.floor(from));
    bottom = Math.max(bottom, Math.ceil(to));
    for (let row = Math.floor(from); row < to; row++) {
      const ya = Math.max(from, row);
      const yb = Math.min(to, row + 1);
      addInRow(row, x0 + slope * (ya - y0), x0 + slope * (yb - y0), direction * (yb - ya));
    }
  }

  return {
    add(points) {
      points.forEach((point, at) => addEdge(point, points[(at + 1) % points.length]));
    },
    flush(paint) {
      for (let row = top; row < bottom; row++) {
        let sum = 0;
        for (let column = left; column < Math.min(right, width); column++) {
          sum += sums[row * stride + column];
          const share = Math.min(Math.abs(sum), 1);
          // Less than a hundredth cannot be seen, and may be rounding.
          if (share > 0.01) paint(row * width + column, share);
        }
        sums.fill(0, row * stride + left, row * stride + right);
      }
      [left, top, right, bottom] = [width, height, 0, 0];
    },
  };
}
