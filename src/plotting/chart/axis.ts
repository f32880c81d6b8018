// One axis: which numbers it shows, and where on the paper they are.
import { niceEnds, tickLabels, ticks } from "./ticks.js";

export interface Axis {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  readonly labels: readonly string[];
}

/** The least and the greatest of many numbers; a single one gets room on both sides. */
export function extent(lists: readonly (readonly number[])[]): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists) {
    for (const value of list) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low < high) return [low, high];
  const room = Math.max(Math.abs(low) * 0.05, 0.5);
  return [low - room, low + room];
}

/** What starts near zero starts at zero. */
const fromZero = (low: number, high: number): boolean => low >= 0 && low <= 0.2 * high;

/** An end that is all but round is moved out to the round number: 99,840 steps read as 100k. */
export function xEnds(low: number, high: number, count: number): [low: number, high: number] {
  const start = fromZero(low, high) ? 0 : low;
  const [roundLow, roundHigh] = niceEnds(start, high, count);
  const near = 0.06 * (high - start);
  return [start - roundLow <= near ? roundLow : start, roundHigh - high <= near ? roundHigh : high];
}

/** Room above and below the data; what is never negative does not get an axis below zero. */
export function yEnds(low: number, high: number): [low: number, high: number] {
  const room = 0.05 * (high - low);
  const bottom = fromZero(low, high) ? 0 : low - room;
  const top = fromZero(-high, -low) ? 0 : high + room;
  return [low >= 0 ? Math.max(0, bottom) : bottom, high <= 0 ? Math.min(0, top) : top];
}

/** An axis whose numbers were divided by a power of ten, which its labels bring back. */
export function axisOf([low, high]: readonly [number, number], count: number, power: number): Axis {
  const values = ticks(low, high, count);
  return { low, high, ticks: values, labels: tickLabels(values, power) };
}

/** From a number to its place between two points of the paper. */
export const scaleOf =
  ({ low, high }: Axis, from: number, to: number) =>
  (value: number): number =>
    from + ((value - low) / (high - low)) * (to - from);
