// The arithmetic of a chart's curves: smoothing, ranges and what lies nearest to a place.

/** One curve: points by rising x, with a band from `low` to `high` around them if there are seeds to sum up. */
export interface ChartSeries {
  readonly label: string;
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly low?: ArrayLike<number>;
  readonly high?: ArrayLike<number>;
  /** A CSS colour or the name of a custom property, as `--series-3`; by default the next one of the theme. */
  readonly color?: string;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The first place in rising numbers that is not below `value`. */
export function lowerBound(sorted: ArrayLike<number>, value: number): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The place in rising numbers that is nearest to `value`, -1 in none. */
export function nearestIndex(sorted: ArrayLike<number>, value: number): number {
  const after = lowerBound(sorted, value);
  if (after === 0) return sorted.length === 0 ? -1 : 0;
  if (after === sorted.length) return after - 1;
  return value - sorted[after - 1] <= sorted[after] - value ? after - 1 : after;
}

/**
 * The exponential moving average that gives what came before the weight `weight` (0 leaves the values as they are),
 * without the start's pull to zero. Values that are no number stay so and change nothing behind them.
 */
export function smooth(values: ArrayLike<number>, weight: number): ArrayLike<number> {
  if (weight <= 0) return values;
  const result = new Float64Array(values.length);
  let average = 0;
  let mass = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (Number.isFinite(value)) {
      average = weight * average + (1 - weight) * value;
      mass = weight * mass + (1 - weight);
      result[at] = average / mass;
    } else result[at] = value;
  }
  return result;
}

/** From the first to the last x of all curves; null if there is no point. */
export function xRange(curves: readonly ChartSeries[]): Range | null {
  let min = Infinity;
  let max = -Infinity;
  for (const { x } of curves) {
    if (x.length === 0) continue;
    min = Math.min(min, x[0]);
    max = Math.max(max, x[x.length - 1]);
  }
  if (min > max) return null;
  return min === max ? { min: min - 0.5, max: max + 0.5 } : { min, max };
}

/** The values that can be drawn between two x; on a logarithmic scale only those above 0. */
export function yRange(curves: readonly ChartSeries[], { min, max }: Range, isLog: boolean): Range | null {
  let low = Infinity;
  let high = -Infinity;
  const take = (values: ArrayLike<number>, from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      const value = values[at];
      if (!Number.isFinite(value) || (isLog && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  };
  for (const curve of curves) {
    // One more on each side: a line reaches into the picture from there.
    const from = Math.max(0, lowerBound(curve.x, min) - 1);
    const to = Math.min(curve.x.length, lowerBound(curve.x, max) + 1);
    take(curve.y, from, to);
    if (curve.low !== undefined) take(curve.low, from, to);
    if (curve.high !== undefined) take(curve.high, from, to);
  }
  return low > high ? null : { min: low, max: high };
}

/** A range with some air above and below it. */
export function padded({ min, max }: Range): Range {
  const air = (max - min) * 0.05 || Math.max(Math.abs(max) * 0.05, 0.5);
  return { min: min - air, max: max + air };
}
