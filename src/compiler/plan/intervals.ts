// When something is in use: intervals of positions in the order of execution.

/** From the position where something is written to the one where it is read for the last time. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Intervals in order, those that meet made one. */
export function joined(intervals: readonly Interval[]): Interval[] {
  const found: Interval[] = [];
  for (const interval of [...intervals].sort((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    if (last === undefined || last.end < interval.start) found.push(interval);
    else found[found.length - 1] = { start: last.start, end: Math.max(last.end, interval.end) };
  }
  return found;
}

/** The first of joined intervals that ends at a position or later. */
function firstEndingFrom(intervals: readonly Interval[], position: number): number {
  let [low, high] = [0, intervals.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (intervals[middle].end >= position) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether two lists of joined intervals have a position in common. */
export function meet(a: readonly Interval[], b: readonly Interval[]): boolean {
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  for (const { start, end } of few) {
    const next = firstEndingFrom(many, start);
    if (next < many.length && many[next].start <= end) return true;
  }
  return false;
}

/** Whether one of joined intervals ends at a position. */
export const endsAt = (intervals: readonly Interval[], position: number): boolean =>
  (intervals[firstEndingFrom(intervals, position)] as Interval | undefined)?.end === position;

/** Puts intervals among joined ones that they do not meet. */
export function insertIntervals(into: Interval[], added: readonly Interval[]): void {
  for (const interval of added) into.splice(firstEndingFrom(into, interval.start), 0, interval);
}
