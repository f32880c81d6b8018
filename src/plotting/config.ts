// How a plot looks.
import { problemWith, rules, type Rule } from "../array/index.js";
import type { Shaded, SmoothMode } from "./data/series.js";
import { fail, listed } from "./error.js";
import { checkColor } from "./palette.js";

/** Where the legend is: a corner, the one that hides no data (or else beside the plot), beside the plot, nowhere. */
export type LegendPlace =
  | "auto"
  | "upper left"
  | "upper right"
  | "lower left"
  | "lower right"
  | "outside"
  | "none";

export interface PlotConfig {
  /** Width and height in inches (6.4 × 4). */
  readonly figsize: readonly [width: number, height: number];
  /** Pixels an inch in PNG files (200). */
  readonly dpi: number;
  /** Above the plot; `null` is the curve's name if there is one curve, otherwise none (null). */
  readonly title: string | null;
  /** Below the plot; `null` is made of the metric's name (null). */
  readonly xLabel: string | null;
  /** Left of the plot; `null` is made of the metric's name (null). */
  readonly yLabel: string | null;
  /** Size of the title in points (12). */
  readonly titleSize: number;
  /** Size of the axes' labels in points (10). */
  readonly labelSize: number;
  /** Size of the ticks' labels in points (9). */
  readonly tickSize: number;
  /** Size of the legend in points (9). */
  readonly legendSize: number;
  /** Width of the curves in points (1.6). */
  readonly lineWidth: number;
  /** What the band around the mean of several runs is: standard deviation, standard error, none ("std"). */
  readonly shaded: Shaded;
  /** Opacity of the bands, 0 to 1 (0.2). */
  readonly bandOpacity: number;
  /** Neighbours on each side that a point is smoothed with; `null` is one in forty points of the run (null). */
  readonly smoothRadius: number | null;
  /** Moving average over a centred window, or an exponential one over the past ("window"). */
  readonly smoothMode: SmoothMode;
  /** Draws the values before smoothing faintly behind the curve of a single run (true). */
  readonly raw: boolean;
  /** Points of the common grid on which several runs are averaged (200). */
  readonly gridPoints: number;
  /** Lines behind the curves at the ticks (true). */
  readonly grid: boolean;
  /** Where the legend is ("auto"). */
  readonly legend: LegendPlace;
  /** Ends of the x axis; `null` are the data's (null). */
  readonly xLimits: readonly [low: number, high: number] | null;
  /** Ends of the y axis; `null` are the data's with some room (null). */
  readonly yLimits: readonly [low: number, high: number] | null;
  /** Colour of the paper ("#FFFFFF"). */
  readonly background: string;
  /** Colour of text and axes ("#333333"). */
  readonly ink: string;
  /** Colour of the grid's lines ("#E5E5E5"). */
  readonly gridColor: string;
}

const defaults: PlotConfig = {
  figsize: [6.4, 4],
  dpi: 200,
  title: null,
  xLabel: null,
  yLabel: null,
  titleSize: 12,
  labelSize: 10,
  tickSize: 9,
  legendSize: 9,
  lineWidth: 1.6,
  shaded: "std",
  bandOpacity: 0.2,
  smoothRadius: null,
  smoothMode: "window",
  raw: true,
  gridPoints: 200,
  grid: true,
  legend: "auto",
  xLimits: null,
  yLimits: null,
  background: "#FFFFFF",
  ink: "#333333",
  gridColor: "#E5E5E5",
};

/** Ready-made looks: for papers, for slides, for dark pages. */
export const styles = {
  paper: {},
  talk: { figsize: [8, 4.5], titleSize: 18, labelSize: 15, tickSize: 13, legendSize: 13, lineWidth: 2.6 },
  dark: { background: "#16181D", ink: "#D5D8DE", gridColor: "#2B2F37", bandOpacity: 0.28 },
} as const satisfies Record<string, Partial<PlotConfig>>;

export type PlotStyle = keyof typeof styles;

const { finite, flag, oneOf, orNull, positive, rule: wants, whole } = rules;

const label = wants("a text or null", (value) => value === null || typeof value === "string");
const isPair = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((x) => finite(x) === null);
const limits = wants("null or [low, high] with low < high", (value) =>
  value === null ? true : isPair(value) && value[0] < value[1],
);
const within = (low: number, high: number): Rule =>
  wants(`a number from ${low} to ${high}`, (value) => {
    const isNumber = finite(value) === null;
    return isNumber && (value as number) >= low && (value as number) <= high;
  });
const color: Rule = () => null;

const fieldRules: { readonly [K in keyof PlotConfig]: Rule } = {
  figsize: wants("[width, height] in inches, from 1 to 100", (value) =>
    isPair(value) ? value.every((inches) => inches >= 1 && inches <= 100) : false,
  ),
  dpi: within(10, 1200),
  title: label,
  xLabel: label,
  yLabel: label,
  titleSize: positive,
  labelSize: positive,
  tickSize: positive,
  legendSize: positive,
  lineWidth: positive,
  shaded: oneOf(["std", "sem", "none"]),
  bandOpacity: within(0, 1),
  smoothRadius: orNull(whole(0)),
  smoothMode: oneOf(["window", "ema"]),
  raw: flag,
  gridPoints: whole(2),
  grid: flag,
  legend: oneOf(["auto", "upper left", "upper right", "lower left", "lower right", "outside", "none"]),
  xLimits: limits,
  yLimits: limits,
  background: color,
  ink: color,
  gridColor: color,
};

/** Makes a config of what differs from the defaults; a wrong field is named. */
export function PlotConfig(fields: Partial<PlotConfig> = {}): PlotConfig {
  const names = Object.keys(fieldRules) as (keyof PlotConfig)[];
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(fieldRules, name)) {
      fail("PlotConfig", `there is no field ${name}; the fields are ${listed(names)}`);
    }
  }
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const config: PlotConfig = { ...defaults, ...Object.fromEntries(given) };
  for (const name of names) {
    const problem = problemWith(name, config[name], fieldRules[name]);
    if (problem !== null) fail("PlotConfig", problem);
  }
  checkColor("PlotConfig", "background", config.background);
  checkColor("PlotConfig", "ink", config.ink);
  checkColor("PlotConfig", "gridColor", config.gridColor);
  return Object.freeze(config);
}
