// Several seeds as one curve: their mean, with a band of one standard deviation around it.

export interface Points {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
}

export interface Summary {
  readonly x: number[];
  readonly y: number[];
  readonly low: number[];
  readonly high: number[];
}

/** More points than these are not seen. */
const mostPoints = 600;

/** All x of some curves in order; thinned evenly where there are too many. */
function commonX(curves: readonly Points[]): number[] {
  const all = new Set<number>();
  for (const { x } of curves) Array.from(x).forEach((place) => all.add(place));
  const sorted = [...all].sort((a, b) => a - b);
  if (sorted.length <= mostPoints) return sorted;
  const last = sorted.length - 1;
  return Array.from({ length: mostPoints }, (_, at) => sorted[Math.round((at / (mostPoints - 1)) * last)]);
}

/** The mean of curves and the band around it, at every x that all of them reach, and beyond it over those that do. */
export function summarize(curves: readonly Points[]): Summary {
  const x = commonX(curves.filter((curve) => curve.x.length > 0));
  const places = curves.map(() => 0);
  const result: Summary = { x: [], y: [], low: [], high: [] };
  for (const place of x) {
    let [count, sum, squares] = [0, 0, 0];
    curves.forEach((curve, index) => {
      const value = valueAt(curve, place, places, index);
      if (!Number.isFinite(value)) return;
      count++;
      sum += value;
      squares += value * value;
    });
    if (count === 0) continue;
    const mean = sum / count;
    const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean));
    result.x.push(place);
    result.y.push(mean);
    result.low.push(mean - deviation);
    result.high.push(mean + deviation);
  }
  return result;
}

/** A curve's value at rising places, between its points on the straight line; NaN outside of it. */
function valueAt({ x, y }: Points, place: number, places: number[], index: number): number {
  const count = x.length;
  if (count === 0 || place < x[0] || place > x[count - 1]) return NaN;
  let at = places[index];
  while (at + 1 < count && x[at + 1] <= place) at++;
  places[index] = at;
  if (x[at] === place || at + 1 === count) return y[at];
  const part = (place - x[at]) / (x[at + 1] - x[at]);
  return y[at] + part * (y[at + 1] - y[at]);
}
