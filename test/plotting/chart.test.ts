// What a chart is made of: ticks, axes, colours, the legend's place.
import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { colorFor, getColors, PlotConfig, resetPalette, setPalette } from "vibe-rl/plotting";
import { xEnds, yEnds } from "../../src/plotting/chart/axis.js";
import { placeLegend } from "../../src/plotting/chart/legend.js";
import { tickLabels, ticks } from "../../src/plotting/chart/ticks.js";
import { textWidth } from "../../src/plotting/font/index.js";

describe("ticks", () => {
  it("are round numbers", () => {
    expect(ticks(0, 100_000, 5)).toEqual([0, 20_000, 40_000, 60_000, 80_000, 100_000]);
    expect(ticks(-1600, -120, 5)).toEqual([-1500, -1250, -1000, -750, -500, -250]);
    expect(ticks(0, 0.3, 3)).toEqual([0, 0.1, 0.2, 0.3]);
  });

  it("lie inside the axis and are neither few nor many, whatever the numbers", () => {
    const numbers = fc.double({ min: -1e9, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(numbers, fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (low, range) => {
        fc.pre(range > Math.abs(low) * 1e-6);
        const values = ticks(low, low + range, 5);
        expect(values.length).toBeGreaterThanOrEqual(3);
        expect(values.length).toBeLessThanOrEqual(10);
        const room = 1e-6 * range + 1e-9 * Math.abs(low);
        for (const value of values) {
          expect(value).toBeGreaterThanOrEqual(low - room);
          expect(value).toBeLessThanOrEqual(low + range + room);
        }
        expect(new Set(tickLabels(values)).size).toBe(values.length);
      }),
    );
  });

  it("are written short, in one unit", () => {
    expect(tickLabels([0, 20_000, 40_000])).toEqual(["0", "20k", "40k"]);
    expect(tickLabels([0, 500_000, 1_000_000])).toEqual(["0", "0.5M", "1.0M"]);
    expect(tickLabels([-200, -100, 0])).toEqual(["−200", "−100", "0"]);
    expect(tickLabels([0, 0.25, 0.5])).toEqual(["0", "0.25", "0.50"]);
    expect(tickLabels([0, 0.0001, 0.0002])).toEqual(["0", "1e−4", "2e−4"]);
  });
});

describe("axes", () => {
  it("start at zero and end at a round number where the data nearly do", () => {
    expect(xEnds(512, 99_840, 5)).toEqual([0, 100_000]);
  });

  it("leave room around the data, but not below zero for what is never negative", () => {
    expect(yEnds(9, 500)[0]).toBe(0);
    expect(yEnds(9, 500)[1]).toBeGreaterThan(500);
    expect(yEnds(-1500, -150)[0]).toBeLessThan(-1500);
    expect(yEnds(-1500, -150)[1]).toBe(0);
  });
});

describe("the legend", () => {
  const plot = { left: 0, top: 0, right: 400, bottom: 300 };
  const entries = ["PPO", "DQN"].map((name) => ({ name, color: "#0077BB", isDashed: false, hasBand: true }));
  const place = (...obstacles: Parameters<typeof placeLegend>[4]) =>
    placeLegend(plot, entries, 9, "auto", obstacles);

  it("goes to a corner without data", () => {
    // y grows downwards: a curve that rises from the lower left to the upper right.
    const rises = { x: [0, 200, 400], top: [280, 40, 20], bottom: [300, 60, 40] };
    expect(place(rises)).toMatchObject({ right: 394, bottom: 294 });
    const falls = { x: [0, 200, 400], top: [20, 250, 280], bottom: [40, 270, 300] };
    expect(place(falls)).toMatchObject({ right: 394, top: 6 });
  });

  it("goes nowhere inside if it hides data in every corner", () => {
    expect(place({ x: [0, 400], top: [0, 0], bottom: [300, 300] })).toBeNull();
  });
});

describe("the palette", () => {
  afterEach(resetPalette);

  it("is the colour-blind one, and starts again after ten", () => {
    expect(getColors().join(" ")).toBe(
      "#0077BB #EE7733 #009988 #CC3311 #33BBEE #EE3377 #BBBBBB #AA3377 #DDCC77 #44BB99",
    );
    expect(getColors(2)).toEqual(["#0077BB", "#EE7733"]);
    expect([colorFor(1), colorFor(11)]).toEqual(["#EE7733", "#EE7733"]);
  });

  it("can be replaced and put back", () => {
    setPalette(["#000000", "#ff0000"]);
    expect([colorFor(0), colorFor(3), getColors().length]).toEqual(["#000000", "#ff0000", 2]);
    resetPalette();
    expect(colorFor(0)).toBe("#0077BB");
  });

  it("refuses what is not a colour, and no colours", () => {
    expect(() => setPalette(["blue"])).toThrow('setPalette: a color must be written #rrggbb, got "blue"');
    expect(() => setPalette([])).toThrow("at least one color");
    expect(() => colorFor(-1)).toThrow("whole number from 0");
  });
});

describe("PlotConfig", () => {
  it("is frozen and has a default for every field", () => {
    const config = PlotConfig({ dpi: 100 });
    expect(config).toMatchObject({ dpi: 100, figsize: [6.4, 4], shaded: "std" });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it("names the field that is wrong", () => {
    expect(() => PlotConfig({ dpi: -1 })).toThrow("PlotConfig: dpi must be a number from 10 to 1200, got -1");
    expect(() => PlotConfig({ yLimits: [1, 0] })).toThrow(
      "yLimits must be null or [low, high] with low < high",
    );
    expect(() => PlotConfig({ ink: "black" })).toThrow("ink must be written #rrggbb");
    expect(() => PlotConfig({ shaded: "sd" as "std" })).toThrow('shaded must be "std" or "sem" or "none"');
    expect(() => PlotConfig({ colour: 1 } as object)).toThrow(
      "there is no field colour; the fields are figsize",
    );
  });
});

describe("the font", () => {
  it("has Helvetica's widths, so that PDF text lies where the others' does", () => {
    // From Adobe's metrics of Helvetica, in thousandths of the size.
    const widths = { " ": 278, "0": 556, A: 667, M: 833, W: 944, a: 556, i: 222, m: 833, ".": 278, "±": 549 };
    for (const [letter, width] of Object.entries(widths)) {
      expect([letter, Math.round(textWidth(letter, 1000))]).toEqual([letter, width]);
    }
  });
});
