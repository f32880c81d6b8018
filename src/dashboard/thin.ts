// Long curves for small pictures: the lowest and the highest point of every stretch, so that no spike is lost.
import type { Curve } from "./columns.js";

/** The part of a curve between two x, with one point more on each side. */
export function part({ x, y }: Curve, from: number, to: number): Curve {
  let first = 0;
  let end = x.length;
  while (first < end && x[first + 1] < from) first++;
  while (end > first && x[end - 2] > to) end--;
  return { x: x.subarray(first, end), y: y.subarray(first, end) };
}

/** A curve of at most about `2 × buckets` points over the same stretch. */
export function thin({ x, y }: Curve, buckets: number): Curve {
  const count = x.length;
  if (count <= buckets * 2) return { x, y };
  const [start, span] = [x[0], x[count - 1] - x[0] || 1];
  const kept: number[] = [0];
  let bucket = 0;
  let lowest = 0;
  let highest = 0;
  const take = (index: number): void => {
    if (index > kept[kept.length - 1]) kept.push(index);
  };
  const finish = (): void => {
    take(Math.min(lowest, highest));
    take(Math.max(lowest, highest));
  };
  for (let at = 1; at < count; at++) {
    const now = Math.min(buckets - 1, Math.floor(((x[at] - start) / span) * buckets));
    if (now !== bucket) {
      finish();
      bucket = now;
      lowest = highest = at;
    }
    // What is no number gives way to any number.
    if (y[at] < y[lowest] || Number.isNaN(y[lowest])) lowest = at;
    if (y[at] > y[highest] || Number.isNaN(y[highest])) highest = at;
  }
  finish();
  take(count - 1);
  return { x: Float64Array.from(kept, (at) => x[at]), y: Float64Array.from(kept, (at) => y[at]) };
}
