// Numbers at the ends of what numbers can be are drawn where they are.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { plotRewardCurve } from "vibe-rl/plotting";
import { newFolder, writeRun } from "./runs.js";

const rows = (values: readonly number[]) =>
  values.map((value, at) => ({ step: (at + 1) * 1000, episode_return: value }));

/** The text of a picture of runs with these returns. */
function svgOf(...runs: readonly (readonly number[])[]): string {
  const base = newFolder();
  const roots = runs.map((values, at) => writeRun(base, `wild_20260101_00000${at}`, rows(values)));
  const savePath = path.join(base, "curve.svg");
  const figure = plotRewardCurve(roots, { savePath });
  expect(figure.png().length).toBeGreaterThan(100);
  expect(figure.pdf().length).toBeGreaterThan(100);
  return readFileSync(savePath, "utf8");
}

/** The labels along the y axis, as text. */
const hasLabel = (svg: string, label: string): boolean => svg.includes(`>${label}<`);

describe("a curve", () => {
  it.each([
    ["both ends", [-1e308, 1e308, 0, -1.7e308, 1.7e308]],
    ["one value", [1.7e308]],
    [
      "many large ones, whose sum is none",
      Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? 1.7e308 : 1.6e308)),
    ],
    ["the smallest there are", [5e-324, 1e-323, 0]],
    ["large ones among small ones", [1, 2, -3, 1e200]],
  ])("has no number that is none: %s", (_, values) => {
    const svg = svgOf(values);
    for (const word of ["NaN", "Infinity", "undefined"]) expect(svg).not.toContain(word);
    const again = svgOf(
      values,
      values.map((value) => value / 2),
    );
    for (const word of ["NaN", "Infinity", "undefined"]) expect(again).not.toContain(word);
  });

  it("is labelled with what its numbers are", () => {
    const svg = svgOf([-1e308, 1e308]);
    for (const label of ["−1e308", "0", "1e308"])
      expect([label, hasLabel(svg, label)]).toEqual([label, true]);
  });
});

it("limits are those of the numbers", () => {
  const base = newFolder();
  const root = writeRun(base, "wild_20260101_000000", rows([1e300, 2e300, 3e300]));
  const savePath = path.join(base, "curve.svg");
  plotRewardCurve(root, { savePath, config: { yLimits: [0, 4e300] } });
  expect(hasLabel(readFileSync(savePath, "utf8"), "4e300")).toBe(true);
});
