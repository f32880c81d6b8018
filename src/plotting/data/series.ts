// Series of points: sorted, smoothed, and put on a common grid.

/** Points of a curve; `x` grows strictly. */
export interface Series {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/**
 * The power of ten that numbers are divided by before they are drawn: 0, or that of the largest where sums and squares
 * of them would be too large, or too small, to be numbers.
 */
export function powerOf(lists: readonly (readonly number[])[]): number {
  let largest = 0;
  for (const list of lists) for (const value of list) largest = Math.max(largest, Math.abs(value));
  return largest === 0 || (largest < 1e100 && largest > 1e-100) ? 0 : Math.floor(Math.log10(largest));
}

/** Numbers divided by a power of ten. */
export function inPower(values: readonly number[], power: number): readonly number[] {
  if (power === 0) return values;
  // In two steps, since the power itself may be too small to be a number.
  const half = Math.trunc(power / 2);
  return values.map((value) => value / 10 ** half / 10 ** (power - half));
}

/** Sorts points by x; several at one x, such as episodes that ended in the same step, become their mean. */
export function seriesOf(points: readonly (readonly [x: number, y: number])[]): Series {
  const byX = new Map<number, number[]>();
  for (const [x, y] of points) {
    const known = byX.get(x);
    if (known === undefined) byX.set(x, [y]);
    else known.push(y);
  }
  const x = [...byX.keys()].sort((a, b) => a - b);
  return { x, y: x.map((value) => mean(byX.get(value) ?? [])) };
}

export function mean(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  // A sum may be too large to be a number where the mean is not.
  return Number.isFinite(sum)
    ? sum / values.length
    : values.reduce((total, value) => total + value / values.length, 0);
}

/** The standard deviation of a sample (n − 1); 0 for one value. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}

/** The mean of each value and up to `radius` neighbours on each side; at the ends there are fewer. */
export function smoothWindow(values: readonly number[], radius: number): number[] {
  const sums = [0];
  for (const value of values) sums.push(sums[sums.length - 1] + value);
  return values.map((_, at) => {
    const from = Math.max(0, at - radius);
    const to = Math.min(values.length, at + radius + 1);
    return (sums[to] - sums[from]) / (to - from);
  });
}

/**
 * An exponential moving average that looks back about `2 · radius + 1` values. It is divided by the sum of its
 * weights, so that the first values do not pull it to zero.
 */
export function smoothEma(values: readonly number[], radius: number): number[] {
  const keep = radius / (radius + 1);
  let [sum, weight] = [0, 0];
  return values.map((value) => {
    sum = keep * sum + value;
    weight = keep * weight + 1;
    return sum / weight;
  });
}

export type SmoothMode = "window" | "ema";

export const smooth = (values: readonly number[], mode: SmoothMode, radius: number): number[] =>
  mode === "window" ? smoothWindow(values, radius) : smoothEma(values, radius);

/** The value of a series at any x between its ends, along straight lines. */
export function interpolate({ x, y }: Series, grid: readonly number[]): number[] {
  let at = 0;
  return grid.map((value) => {
    while (at + 1 < x.length && x[at + 1] < value) at++;
    if (value <= x[at] || at + 1 === x.length) return y[at];
    const share = (value - x[at]) / (x[at + 1] - x[at]);
    return y[at] + share * (y[at + 1] - y[at]);
  });
}

/** `count` numbers at equal distances, both ends included. */
export const evenly = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from + ((to - from) * at) / (count - 1));

export type Shaded = "std" | "sem" | "none";

/** A mean curve and how far it spreads on each side. */
export interface Band extends Series {
  readonly spread: readonly number[];
}

/** The mean of several series where all of them have values, and its spread; `null` if they do not overlap. */
export function aggregate(all: readonly Series[], shaded: Shaded, gridPoints: number): Band | null {
  if (all.length === 1) return { ...all[0], spread: all[0].y.map(() => 0) };
  const from = Math.max(...all.map(({ x }) => x[0]));
  const to = Math.min(...all.map(({ x }) => x[x.length - 1]));
  if (from > to) return null;
  const grid = from === to ? [from] : evenly(from, to, gridPoints);
  const rows = all.map((series) => interpolate(series, grid));
  const columns = grid.map((_, at) => rows.map((row) => row[at]));
  const divisor = shaded === "sem" ? Math.sqrt(all.length) : 1;
  return {
    x: grid,
    y: columns.map(mean),
    spread: columns.map((values) => (shaded === "none" ? 0 : standardDeviation(values) / divisor)),
  };
}

/** At most about `most` points: of every stretch its least and its greatest, so that peaks stay. */
export function thin({ x, y }: Series, most: number): Series {
  if (x.length <= most) return { x, y };
  const perStretch = Math.ceil((2 * x.length) / most);
  const kept = Array.from({ length: Math.ceil(x.length / perStretch) }, (_, stretch) => {
    let [least, greatest] = [stretch * perStretch, stretch * perStretch];
    for (let at = least; at < Math.min((stretch + 1) * perStretch, x.length); at++) {
      if (y[at] < y[least]) least = at;
      if (y[at] > y[greatest]) greatest = at;
    }
    return least === greatest ? [least] : [Math.min(least, greatest), Math.max(least, greatest)];
  }).flat();
  return { x: kept.map((at) => x[at]), y: kept.map((at) => y[at]) };
}
