// The arithmetic behind the dashboard's page: smoothing, ranges, groups of seeds, differences of configs, the list.
import { describe, expect, it } from "vitest";
import {
  lowerBound,
  nearestIndex,
  padded,
  smooth,
  xRange,
  yRange,
} from "../../site/components/chartCurves.js";
import { formatDuration, formatNumber, formatTick } from "../../site/components/numbers.js";
import { differences, flatten } from "../../site/dashboard/configDiff.js";
import { settingsApart } from "../../site/dashboard/configSection.js";
import { summarize } from "../../site/dashboard/groups.js";
import { firstView, matches, shownRuns, sorted } from "../../site/dashboard/state.js";
import type { RunSummary } from "../../src/dashboard/index.js";

describe("curves", () => {
  it("are smoothed without a pull to zero, around values that are no numbers", () => {
    expect([...Array.from(smooth([5, 5, 5], 0.9))].map((value) => value.toFixed(6))).toEqual(
      Array(3).fill("5.000000"),
    );
    const [first, gap, last] = Array.from(smooth([1, NaN, 3], 0.5));
    expect([first, gap]).toEqual([1, NaN]);
    expect(last).toBeCloseTo((0.5 * 0.5 * 1 + 0.5 * 3) / 0.75, 10);
    expect(smooth([1, 2], 0)).toEqual([1, 2]);
  });

  it("have places that are found, and ranges of what is to be seen", () => {
    expect([0, 2, 5, 9].map((value) => lowerBound([1, 3, 5], value))).toEqual([0, 1, 2, 3]);
    expect([0, 1.9, 2.1, 9].map((value) => nearestIndex([1, 3, 5], value))).toEqual([0, 0, 1, 2]);
    expect(nearestIndex([], 1)).toBe(-1);
    const curve = { label: "a", x: [0, 1, 2, 3, 4], y: [-10, 1, NaN, 4, 100], low: [0, 0, 0, 3, 0] };
    expect(xRange([curve])).toEqual({ min: 0, max: 4 });
    expect(xRange([])).toBe(null);
    expect(yRange([curve], { min: 2, max: 2.5 }, false)).toEqual({ min: 0, max: 4 });
    expect(yRange([curve], { min: 0, max: 4 }, true)).toEqual({ min: 1, max: 100 });
    expect(yRange([{ label: "b", x: [0], y: [-1] }], { min: 0, max: 1 }, true)).toBe(null);
    expect(padded({ min: 5, max: 5 })).toEqual({ min: 4.5, max: 5.5 });
  });

  it("of several seeds become a mean with a band, also where their steps differ", () => {
    const { x, y, low, high } = summarize([
      { x: [0, 10, 20], y: [0, 10, 20] },
      { x: [0, 20, 30], y: [2, 22, 32] },
    ]);
    expect([x, y]).toEqual([
      [0, 10, 20, 30],
      [1, 11, 21, 32],
    ]);
    expect(low.map(Math.round)).toEqual([0, 10, 20, 32]);
    expect(high.map(Math.round)).toEqual([2, 12, 22, 32]);
  });
});

describe("configs", () => {
  const one = { env_id: "A", algo_config: { lr: 1, sizes: [64, 64] }, runner: { seed: 0 } };
  const other = { env_id: "A", algo_config: { lr: 2, sizes: [64, 64] }, runner: { seed: 1, extra: null } };

  it("are flat lists of settings, and differ where their values do", () => {
    expect([...flatten(one)]).toEqual([
      ["env_id", "A"],
      ["algo_config.lr", "1"],
      ["algo_config.sizes", "(64, 64)"],
      ["runner.seed", "0"],
    ]);
    expect(differences([one, other])).toEqual([
      { name: "algo_config.lr", values: ["1", "2"] },
      { name: "runner.seed", values: ["0", "1"] },
      { name: "runner.extra", values: ["–", "null"] },
    ]);
  });

  it("say what sets a group apart, seeds left out", () => {
    expect(settingsApart("a", ["b"], { a: one, b: other })).toBe("lr 1, extra –");
    expect(settingsApart("a", [], { a: one })).toBe("");
  });
});

describe("the list", () => {
  const run = (id: string, more: Partial<RunSummary>): RunSummary => ({
    ...{ id, name: id, env: "CartPole-v1", algo: "ppo", seed: 0, seeds: null, status: "done", message: null },
    ...{
      step: 0,
      total: null,
      records: 0,
      speed: null,
      lastReturn: null,
      bestReturn: null,
      isBestEvaluated: false,
    },
    ...{ began: null, time: null, metrics: [], group: "", generation: 0, isLoaded: true },
    ...more,
  });
  const runs = [
    run("a10", { lastReturn: 1 }),
    run("a9", { lastReturn: null, algo: "dqn" }),
    run("b", { lastReturn: 7 }),
  ];
  const ids = (list: readonly RunSummary[]): string[] => list.map(({ id }) => id);

  it("sorts by any column, what has no value last, numbers in names by their size", () => {
    expect(ids(sorted(runs, { ...firstView, sort: "last", isDescending: true }))).toEqual(["b", "a10", "a9"]);
    expect(ids(sorted(runs, { ...firstView, sort: "last", isDescending: false }))).toEqual([
      "a10",
      "b",
      "a9",
    ]);
    expect(ids(sorted(runs, { ...firstView, sort: "name", isDescending: false }))).toEqual([
      "a9",
      "a10",
      "b",
    ]);
  });

  it("is searched word by word, and shows what is ticked, or else what is found", () => {
    expect(matches(runs[1], "DQN cart")).toBe(true);
    expect(matches(runs[1], "dqn pendulum")).toBe(false);
    expect(ids(shownRuns(runs, { ...firstView, search: "ppo" }))).toEqual(["a10", "b"]);
    expect(ids(shownRuns(runs, { ...firstView, search: "ppo", chosen: new Set(["a9", "gone"]) }))).toEqual([
      "a9",
    ]);
  });
});

it("numbers are written as people read them", () => {
  expect([0, 12.3456, 1234.5, 2e9, 0.00001, NaN, null].map(formatNumber)).toEqual([
    ...["0", "12.35", "1,235", "2.00e+9", "1.00e-5", "NaN", "–"],
  ]);
  expect([8, 200, 7500, 280_000, NaN].map(formatDuration)).toEqual([
    "8 s",
    "3 min 20 s",
    "2 h 5 min",
    "3 d 5 h",
    "–",
  ]);
  expect([0.0001, 5000, 20_000].map(formatTick)).toEqual(["1e−4", "5000", "20K"]);
});
