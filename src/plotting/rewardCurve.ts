// Reward curves of runs: one line a group, with a band over its runs.
import { drawChart, type ChartText, type Curve } from "./chart/chart.js";
import { PlotConfig, styles, type PlotStyle } from "./config.js";
import { groupRuns, keysOf, readRun, seriesIn, type GroupBy, type Run, type RunLike } from "./data/runs.js";
import { aggregate, inPower, powerOf, smooth, thin, type Series, type SmoothMode } from "./data/series.js";
import { fail, listed } from "./error.js";
import { figureOf, type Figure } from "./figure.js";
import { colorFor } from "./palette.js";

export interface RewardCurveOptions {
  /** The metric along the x axis ("step"). */
  readonly xKey?: string;
  /** The metric along the y axis; by default `episode_return`, or `eval_return` where there is none. */
  readonly yKey?: string;
  /** Smoothing for this plot: a radius, or `{ mode, radius }`; 0 is none. Overrides the config's. */
  readonly smooth?: number | { readonly mode?: SmoothMode; readonly radius?: number };
  /** A ready-made look that the config builds on ("paper"). */
  readonly style?: PlotStyle;
  /** Which runs are averaged into one curve: those of one "experiment" (default), config value, or function. */
  readonly groupBy?: GroupBy;
  /** How the plot looks. */
  readonly config?: Partial<PlotConfig>;
  /** Where the picture goes: `.png`, `.svg` or `.pdf`. Nothing is written without it. */
  readonly savePath?: string;
}

const operation = "plotRewardCurve";

/** The config of what the caller, the style and the defaults say, in this order. */
function configOf({ style = "paper", smooth: wanted, config = {} }: RewardCurveOptions): PlotConfig {
  if (!Object.hasOwn(styles, style)) {
    fail(
      operation,
      `there is no style ${JSON.stringify(style)}; the styles are ${listed(Object.keys(styles))}`,
    );
  }
  const { mode, radius } = typeof wanted === "number" ? { mode: undefined, radius: wanted } : (wanted ?? {});
  return PlotConfig({
    ...styles[style],
    ...config,
    ...(mode === undefined ? {} : { smoothMode: mode }),
    ...(radius === undefined ? {} : { smoothRadius: radius }),
  });
}

/** The first of the usual returns that every run has. */
function usualKey(runs: readonly Run[]): string {
  const usual = ["episode_return", "eval_return"];
  const found = usual.find((key) => runs.every((run) => keysOf(run).includes(key)));
  if (found !== undefined) return found;
  const lacking = runs.find((run) => !keysOf(run).includes(usual[0])) ?? runs[0];
  return fail(
    operation,
    `not every run has ${usual.join(" or ")}; give yKey. ${lacking.name} has ${listed(keysOf(lacking))}`,
  );
}

const knownLabels: Readonly<Record<string, string>> = {
  step: "Environment steps",
  wall_time: "Wall time (s)",
  episode_return: "Episode return",
  eval_return: "Evaluation return",
};

/** A metric's name for people: `critic_loss` is "Critic loss". */
function labelOf(key: string): string {
  const words = key.replaceAll(/[_/]+/g, " ").trim();
  return knownLabels[key] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** More points than this cannot be told apart on paper. */
const mostPoints = 1500;

function curveOf(name: string, runs: readonly Series[], color: string, config: PlotConfig): Curve {
  const smoothed = runs.map(({ x, y }) => {
    const radius = config.smoothRadius ?? Math.floor(x.length / 40);
    return { x, y: smooth(y, config.smoothMode, radius), radius };
  });
  const band = aggregate(smoothed, config.shaded, config.gridPoints);
  if (band === null) {
    const spans = runs.map(({ x }) => `${x[0]} to ${x[x.length - 1]}`);
    return fail(
      operation,
      `the runs of ${name} have no x in common (${spans.join("; ")}); plot them with groupBy "run"`,
    );
  }
  const isSingle = runs.length === 1;
  const hasRaw = config.raw && isSingle && smoothed[0].radius > 0;
  const line = isSingle ? thin(band, mostPoints) : band;
  return {
    name,
    color,
    band: { ...line, spread: isSingle ? line.y.map(() => 0) : band.spread },
    raw: hasRaw ? thin(runs[0], mostPoints) : null,
    hasBand: !isSingle && config.shaded !== "none",
  };
}

/** What the bands are: "mean ± std of 5 runs". */
function noteOf(counts: readonly number[], { shaded }: PlotConfig): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (most === 1) return "";
  const spread = { std: "mean ± std", sem: "mean ± standard error", none: "mean" }[shaded];
  return `${spread} of ${least === most ? most : `${least} to ${most}`} runs`;
}

/**
 * Draws a metric of one or more runs over another, and saves it if `savePath` is given. Runs of one group become
 * their mean with a band; each group is a curve of its own colour.
 */
export function plotRewardCurve(
  runDirs: RunLike | readonly RunLike[],
  options: RewardCurveOptions = {},
): Figure {
  const runs = (Array.isArray(runDirs) ? (runDirs as readonly RunLike[]) : [runDirs as RunLike]).map(readRun);
  return plotRuns(runs, options);
}

/** Draws runs that are read already. */
export function plotRuns(runs: readonly Run[], options: RewardCurveOptions): Figure {
  const { xKey = "step", groupBy = "experiment", savePath } = options;
  const config = configOf(options);
  if (runs.length === 0) fail(operation, "needs at least one run directory");
  const yKey = options.yKey ?? usualKey(runs);
  const groups = [...groupRuns(runs, groupBy)];
  const found = groups.map(([, members]) => members.map((run) => seriesIn(run, xKey, yKey)));
  const powers = {
    x: powerOf(found.flat().map(({ x }) => x)),
    y: powerOf(found.flat().map(({ y }) => y)),
  };
  const curves = groups.map(([name], at) => {
    const series = found[at].map(({ x, y }) => ({ x: inPower(x, powers.x), y: inPower(y, powers.y) }));
    return curveOf(name, series, colorFor(at), config);
  });
  const words: ChartText = {
    title: config.title ?? (curves.length === 1 ? curves[0].name : ""),
    xLabel: config.xLabel ?? labelOf(xKey),
    yLabel: config.yLabel ?? labelOf(yKey),
    note: noteOf(
      groups.map(([, members]) => members.length),
      config,
    ),
  };
  const figure = figureOf(operation, drawChart(curves, words, powers, config), config.dpi);
  if (savePath !== undefined) figure.save(savePath);
  return figure;
}
