// Reward curves of runs: one line a group, with a band over its runs; one panel an environment.
import { drawChart, type ChartText, type Curve } from "./chart/chart.js";
import { onOneSheet } from "./chart/panels.js";
import { PlotConfig, styles, type PlotStyle } from "./config.js";
import {
  environmentOf,
  groupRuns,
  keysOf,
  readRun,
  seriesIn,
  type GroupBy,
  type Run,
  type RunLike,
} from "./data/runs.js";
import { aggregate, inPower, powerOf, smooth, thin, type Series, type SmoothMode } from "./data/series.js";
import type { Drawing } from "./drawing/shapes.js";
import { fail, listed } from "./error.js";
import { figureOf, type Figure } from "./figure.js";
import { colorFor } from "./palette.js";

export interface RewardCurveOptions {
  /** The metric along the x axis ("step"). */
  readonly xKey?: string;
  /** The metric along the y axis; by default `episode_return` and, dashed, `eval_return`, or what there is of them. */
  readonly yKey?: string;
  /** Smoothing for this plot: a radius, or `{ mode, radius }`; 0 is none. Overrides the config's. */
  readonly smooth?: number | { readonly mode?: SmoothMode; readonly radius?: number };
  /** A ready-made look that the config builds on ("paper"). */
  readonly style?: PlotStyle;
  /** Which runs are averaged into one curve: those of one "experiment" (default), config value, or function. */
  readonly groupBy?: GroupBy;
  /** Whether each environment of the runs' configs has a panel of its own ("environment") or all share one ("none"). */
  readonly panelBy?: "environment" | "none";
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

const training = "episode_return";
const evaluation = "eval_return";

/** The first of the usual returns that every run has. */
function usualKey(runs: readonly Run[]): string {
  const usual = [training, evaluation];
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

/** The curve of a group, smoothed; `null` if its runs have no x in common. */
function curveOf(name: string, runs: readonly Series[], color: string, config: PlotConfig): Curve | null {
  const smoothed = runs.map(({ x, y }) => {
    const radius = config.smoothRadius ?? Math.floor(x.length / 40);
    return { x, y: smooth(y, config.smoothMode, radius), radius };
  });
  const band = aggregate(smoothed, config.shaded, config.gridPoints);
  if (band === null) return null;
  const isSingle = runs.length === 1;
  const hasRaw = config.raw && isSingle && smoothed[0].radius > 0;
  const line = isSingle ? thin(band, mostPoints) : band;
  return {
    name,
    color,
    band: { ...line, spread: isSingle ? line.y.map(() => 0) : band.spread },
    raw: hasRaw ? thin(runs[0], mostPoints) : null,
    hasBand: !isSingle && config.shaded !== "none",
    isDashed: false,
  };
}

/** The curve of a group that must have one. */
function mainCurve(name: string, runs: readonly Series[], color: string, config: PlotConfig): Curve {
  const curve = curveOf(name, runs, color, config);
  if (curve !== null) return curve;
  const spans = runs.map(({ x }) => `${x[0]} to ${x[x.length - 1]}`);
  return fail(
    operation,
    `the runs of ${name} have no x in common (${spans.join("; ")}); plot them with groupBy "run"`,
  );
}

/** The evaluations of a group beside its training: dashed, without a band. */
function evaluationCurve(
  name: string,
  runs: readonly Series[],
  color: string,
  config: PlotConfig,
): readonly Curve[] {
  const curve = runs.length === 0 ? null : curveOf(name, runs, color, { ...config, raw: false });
  if (curve === null) return [];
  const { band } = curve;
  return [{ ...curve, band: { ...band, spread: band.y.map(() => 0) }, hasBand: false, isDashed: true }];
}

/** What the bands are: "mean ± std of 5 runs". */
function noteOf(counts: readonly number[], { shaded }: PlotConfig): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (most === 1) return "";
  const spread = { std: "mean ± std", sem: "mean ± standard error", none: "mean" }[shaded];
  return `${spread} of ${least === most ? most : `${least} to ${most}`} runs`;
}

interface Panel {
  /** The environment, where there are several. */
  readonly title: string | null;
  readonly groups: readonly (readonly [name: string, runs: readonly Run[]])[];
}

const panelings = ["environment", "none"] as const;

/** One panel, or one for each environment; runs that do not say theirs do not make another of a single one. */
function panelsOf(runs: readonly Run[], options: RewardCurveOptions): Panel[] {
  const { groupBy = "experiment", panelBy = "environment" } = options;
  if (!panelings.includes(panelBy)) {
    fail(operation, `panelBy must be ${panelings.join(" or ")}, got ${JSON.stringify(panelBy)}`);
  }
  const environments = [...new Set(runs.map(environmentOf))];
  if (panelBy === "none" || environments.filter((name) => name !== "").length < 2) {
    return [{ title: null, groups: [...groupRuns(runs, groupBy)] }];
  }
  return environments.map((title) => ({
    title,
    groups: [
      ...groupRuns(
        runs.filter((run) => environmentOf(run) === title),
        groupBy,
      ),
    ],
  }));
}

/** The chart of a panel; `colorOf` is the colour of a group. */
function chartOf(
  { title, groups }: Panel,
  { xKey = "step", yKey: wanted }: RewardCurveOptions,
  config: PlotConfig,
  colorOf: (group: string) => string,
): Drawing {
  const yKey = wanted ?? usualKey(groups.flatMap(([, members]) => members));
  const found = groups.map(([, members]) => members.map((run) => seriesIn(run, xKey, yKey)));
  // Evaluations are drawn beside training where nothing else is asked for, and all runs of a group have them.
  const hasEvaluations = (members: readonly Run[]) =>
    wanted === undefined && yKey === training && members.every((run) => keysOf(run).includes(evaluation));
  const evaluated = groups.map(([, members]) =>
    hasEvaluations(members) ? members.map((run) => seriesIn(run, xKey, evaluation)) : [],
  );
  const all = [...found.flat(), ...evaluated.flat()];
  const powers = { x: powerOf(all.map(({ x }) => x)), y: powerOf(all.map(({ y }) => y)) };
  const scaled = (series: readonly Series[]) =>
    series.map(({ x, y }) => ({ x: inPower(x, powers.x), y: inPower(y, powers.y) }));
  const isAlone = groups.length === 1;
  const curves = groups.flatMap(([name], at) => {
    const color = colorOf(name);
    const label = isAlone ? "evaluation" : `${name}, evaluation`;
    const beside = evaluationCurve(label, scaled(evaluated[at]), color, config);
    const main = mainCurve(name, scaled(found[at]), color, config);
    return [isAlone && beside.length > 0 ? { ...main, name: "training" } : main, ...beside];
  });
  const own = config.title ?? (isAlone ? groups[0][0] : "");
  const words: ChartText = {
    title: title === null ? own : config.title === null ? title : `${config.title}: ${title}`,
    xLabel: config.xLabel ?? labelOf(xKey),
    yLabel: config.yLabel ?? labelOf(yKey),
    note: noteOf(
      groups.map(([, members]) => members.length),
      config,
    ),
  };
  return drawChart(curves, words, powers, config);
}

/**
 * Draws a metric of one or more runs over another, and saves it if `savePath` is given. Runs of one group become
 * their mean with a band; each group is a curve of its own colour, and each environment has a panel of its own.
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
  const config = configOf(options);
  if (runs.length === 0) fail(operation, "needs at least one run directory");
  const panels = panelsOf(runs, options);
  const names = [...new Set(panels.flatMap(({ groups }) => groups.map(([name]) => name)))];
  const colorOf = (group: string) => colorFor(names.indexOf(group));
  const sheet = onOneSheet(panels.map((panel) => chartOf(panel, options, config, colorOf)));
  const figure = figureOf(operation, sheet, config.dpi);
  if (options.savePath !== undefined) figure.save(options.savePath);
  return figure;
}
