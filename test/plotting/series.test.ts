// Numbers behind the curves: smoothing, means and bands on a common grid.
import { describe, expect, it } from "vitest";
import {
  aggregate,
  interpolate,
  seriesOf,
  smoothEma,
  smoothWindow,
  standardDeviation,
  thin,
} from "../../src/plotting/data/series.js";

describe("smoothing", () => {
  it("with a window takes the mean of the neighbours there are", () => {
    expect(smoothWindow([0, 3, 6, 3, 0], 1)).toEqual([1.5, 3, 4, 3, 1.5]);
  });

  it("with radius 0 changes nothing", () => {
    expect(smoothWindow([3, 1, 2], 0)).toEqual([3, 1, 2]);
    expect(smoothEma([3, 1, 2], 0)).toEqual([3, 1, 2]);
  });

  it("keeps a constant, from the first value on", () => {
    for (const smooth of [smoothWindow, smoothEma]) {
      for (const value of smooth(Array<number>(20).fill(7), 4)) expect(value).toBeCloseTo(7, 12);
    }
  });

  it("by an exponential average weighs the past by powers of r / (r + 1)", () => {
    // Radius 1: weights 1, 1/2, 1/4.
    const [first, second, third] = smoothEma([8, 0, 4], 1);
    expect(first).toBe(8);
    expect(second).toBeCloseTo(4 / 1.5, 12);
    expect(third).toBeCloseTo((4 + 0 + 2) / 1.75, 12);
  });
});

describe("series", () => {
  it("are sorted by x, with the mean where several points share one", () => {
    expect(
      seriesOf([
        [20, 1],
        [10, 5],
        [20, 3],
      ]),
    ).toEqual({ x: [10, 20], y: [5, 2] });
  });

  it("are read between their points along straight lines", () => {
    expect(interpolate({ x: [0, 10, 20], y: [0, 100, 0] }, [0, 5, 10, 18, 20])).toEqual([0, 50, 100, 20, 0]);
  });

  it("keep their peaks when they are thinned", () => {
    const x = Array.from({ length: 10_000 }, (_, at) => at);
    const thinned = thin({ x, y: x.map((at) => (at === 4321 ? 99 : at === 777 ? -99 : 0)) }, 500);
    expect(thinned.x.length).toBeLessThanOrEqual(500);
    expect(Math.max(...thinned.y)).toBe(99);
    expect(Math.min(...thinned.y)).toBe(-99);
    expect(thinned.x.toSorted((a, b) => a - b)).toEqual(thinned.x);
  });
});

describe("several runs", () => {
  // Logged at different steps: y = x, y = x + 2, y = x + 4.
  const lines = [
    { x: [0, 7, 100], y: [0, 7, 100] },
    { x: [10, 50, 120], y: [12, 52, 122] },
    { x: [5, 90], y: [9, 94] },
  ];

  it("are averaged on a grid that all of them cover", () => {
    const band = aggregate(lines, "std", 9);
    expect(band?.x).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90]);
    band?.y.forEach((value, at) => expect(value).toBeCloseTo(band.x[at] + 2, 10));
  });

  it("have the sample's standard deviation, or the standard error, as their band", () => {
    expect(standardDeviation([0, 2, 4])).toBe(2);
    for (const value of aggregate(lines, "std", 9)?.spread ?? []) expect(value).toBeCloseTo(2, 10);
    for (const value of aggregate(lines, "sem", 9)?.spread ?? [])
      expect(value).toBeCloseTo(2 / Math.sqrt(3), 10);
    expect(aggregate(lines, "none", 3)?.spread).toEqual([0, 0, 0]);
  });

  it("that have no x in common have no mean", () => {
    expect(aggregate([lines[0], { x: [200, 300], y: [0, 0] }], "std", 9)).toBeNull();
  });

  it("of one run stay its own points", () => {
    expect(aggregate([lines[0]], "std", 9)).toEqual({ ...lines[0], spread: [0, 0, 0] });
  });
});
