// A chart of curves with bands: from numbers to shapes.
import type { PlotConfig } from "../config.js";
import { inPower, type Band, type Series } from "../data/series.js";
import { lines } from "../drawing/dashes.js";
import { area, clip, line, text, type Box, type Drawing, type Point, type Shape } from "../drawing/shapes.js";
import { fitText, textWidth } from "../font/index.js";
import { axisOf, extent, scaleOf, xEnds, yEnds, type Axis } from "./axis.js";
import {
  besidePlot,
  drawLegend,
  fittingSize,
  legendWidth,
  placeLegend,
  type LegendEntry,
  type Obstacle,
} from "./legend.js";

export interface Curve extends LegendEntry {
  readonly band: Band;
  /** Values before smoothing, drawn faintly behind. */
  readonly raw: Series | null;
}

export interface ChartText {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** What the bands are, small and to the right above the plot. */
  readonly note: string;
}

const edge = 8;
const tickLength = 3;

const upper = ({ y, spread }: Band): number[] => y.map((value, at) => value + spread[at]);
const lower = ({ y, spread }: Band): number[] => y.map((value, at) => value - spread[at]);

/** The powers of ten that the numbers along the axes were divided by. */
export interface Powers {
  readonly x: number;
  readonly y: number;
}

/** The axes that show all curves. */
function axesFor(curves: readonly Curve[], powers: Powers, config: PlotConfig): { x: Axis; y: Axis } {
  const [width, height] = config.figsize.map((inches) => inches * 72);
  const raws = curves.flatMap(({ raw }) => (raw === null ? [] : [raw]));
  const xCount = Math.max(2, Math.floor(width / (config.tickSize * 7)));
  const yCount = Math.max(2, Math.floor(height / (config.tickSize * 4.5)));
  const xData = extent(curves.map(({ band }) => band.x));
  const yData = extent([
    ...curves.flatMap(({ band }) => [upper(band), lower(band)]),
    ...raws.map(({ y }) => y),
  ]);
  const ends = (limits: readonly [number, number] | null, power: number) =>
    limits === null ? null : (inPower(limits, power) as readonly [number, number]);
  return {
    x: axisOf(ends(config.xLimits, powers.x) ?? xEnds(...xData, xCount), xCount, powers.x),
    y: axisOf(ends(config.yLimits, powers.y) ?? yEnds(...yData), yCount, powers.y),
  };
}

/** Where the plot is, between its labels. `beside` is kept free on the right. */
function plotBox(x: Axis, y: Axis, words: ChartText, beside: number, config: PlotConfig): Box {
  const [width, height] = config.figsize.map((inches) => inches * 72);
  const { titleSize, labelSize, tickSize } = config;
  const widestTick = Math.max(0, ...y.labels.map((label) => textWidth(label, tickSize)));
  const lastTick = textWidth(x.labels.at(-1) ?? "", tickSize) / 2;
  const above = words.title !== "" ? titleSize : words.note !== "" ? tickSize : 0;
  return {
    left: edge + (words.yLabel === "" ? 0 : labelSize + 5) + widestTick + tickLength + 3,
    top: edge + (above === 0 ? 0 : above + 6),
    right: width - Math.max(edge + 2, lastTick + 2, beside === 0 ? 0 : beside + edge),
    bottom: height - edge - (words.xLabel === "" ? 0 : labelSize + 5) - tickSize - tickLength - 1,
  };
}

function drawAxes(x: Axis, y: Axis, plot: Box, config: PlotConfig): Shape[] {
  const { ink, gridColor, tickSize: size } = config;
  const [toX, toY] = [scaleOf(x, plot.left, plot.right), scaleOf(y, plot.bottom, plot.top)];
  const between = (from: Point, to: Point, color: string, width: number) => line([from, to], color, width);
  const grid = [
    ...x.ticks.map((tick) => between([toX(tick), plot.top], [toX(tick), plot.bottom], gridColor, 0.6)),
    ...y.ticks.map((tick) => between([plot.left, toY(tick)], [plot.right, toY(tick)], gridColor, 0.6)),
  ];
  const labels = [
    ...x.ticks.flatMap((tick, at) => [
      between([toX(tick), plot.bottom], [toX(tick), plot.bottom + tickLength], ink, 0.8),
      text(x.labels[at], [toX(tick), plot.bottom + tickLength + 1 + size], {
        size,
        color: ink,
        anchor: "middle",
      }),
    ]),
    ...y.ticks.flatMap((tick, at) => [
      between([plot.left - tickLength, toY(tick)], [plot.left, toY(tick)], ink, 0.8),
      text(y.labels[at], [plot.left - tickLength - 3, toY(tick) + 0.35 * size], {
        size,
        color: ink,
        anchor: "end",
      }),
    ]),
  ];
  const spines = [
    between([plot.left, plot.top], [plot.left, plot.bottom], ink, 0.8),
    between([plot.left, plot.bottom], [plot.right, plot.bottom], ink, 0.8),
  ];
  return [...(config.grid ? grid : []), ...labels, ...spines];
}

function drawWords(words: ChartText, plot: Box, config: PlotConfig): Shape[] {
  const { ink: color, labelSize, titleSize, tickSize } = config;
  const height = config.figsize[1] * 72;
  const [middleX, middleY] = [(plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2];
  const above = plot.top - 7;
  const across = plot.right - plot.left;
  const shown = fitText(words.title, titleSize, across);
  const room = across - textWidth(shown, titleSize);
  const title = text(shown, [plot.left, above], { size: titleSize, color });
  const note = text(words.note, [plot.right, above], { size: 0.9 * tickSize, color, anchor: "end" });
  const hasNote = words.note !== "" && textWidth(words.note, 0.9 * tickSize) + 12 < room;
  return [
    ...(words.title === "" ? [] : [title]),
    ...(hasNote ? [note] : []),
    text(words.xLabel, [middleX, height - edge - 0.22 * labelSize], {
      size: labelSize,
      color,
      anchor: "middle",
    }),
    text(words.yLabel, [edge + 0.8 * labelSize, middleY], {
      size: labelSize,
      color,
      anchor: "middle",
      upwards: true,
    }),
  ].filter((shape) => shape.text !== "");
}

type Place = (value: number) => number;

const pointsOf = (x: readonly number[], y: readonly number[], toX: Place, toY: Place): Point[] =>
  x.map((value, at) => [toX(value), toY(y[at])]);

/** Bands lie under all lines. */
function drawCurves(curves: readonly Curve[], toX: Place, toY: Place, config: PlotConfig): Shape[] {
  const { lineWidth, bandOpacity } = config;
  const bands = curves.flatMap(({ band, color, hasBand }) => {
    const above = pointsOf(band.x, upper(band), toX, toY);
    const below = pointsOf(band.x, lower(band), toX, toY);
    return hasBand ? [area([...above, ...below.reverse()], color, bandOpacity)] : [];
  });
  const raws = curves.flatMap(({ raw, color }) =>
    raw === null ? [] : [line(pointsOf(raw.x, raw.y, toX, toY), color, 0.5 * lineWidth, 0.3)],
  );
  const means = curves.flatMap(({ band, color, isDashed }) => {
    const points = pointsOf(band.x, band.y, toX, toY);
    // A single value is a short dash.
    const [[x, y]] = points;
    return lines(
      points.length > 1
        ? points
        : [
            [x - 4, y],
            [x + 4, y],
          ],
      color,
      lineWidth,
      isDashed && points.length > 1,
    );
  });
  return [...bands, ...raws, ...means];
}

/** What each curve covers of the paper. */
const obstaclesOf = (curves: readonly Curve[], toX: Place, toY: Place): Obstacle[] =>
  curves.flatMap(({ band, raw }) => {
    const own = { x: band.x.map(toX), top: upper(band).map(toY), bottom: lower(band).map(toY) };
    if (raw === null) return [own];
    const y = raw.y.map(toY);
    return [own, { x: raw.x.map(toX), top: y, bottom: y }];
  });

/** Draws curves with axes, grid, title and legend. */
export function drawChart(
  curves: readonly Curve[],
  words: ChartText,
  powers: Powers,
  config: PlotConfig,
): Drawing {
  const { x, y } = axesFor(curves, powers, config);
  const { legend } = config;
  const scales = (plot: Box) =>
    [scaleOf(x, plot.left, plot.right), scaleOf(y, plot.bottom, plot.top)] as const;

  const whole = plotBox(x, y, words, 0, config);
  const size = fittingSize(curves, config.legendSize, whole.bottom - whole.top);
  const entries = curves.map(({ name, ...rest }) => ({
    ...rest,
    name: fitText(name, size, 0.4 * (whole.right - whole.left)),
  }));
  const hasLegend = legend !== "none" && (curves.length > 1 || legend !== "auto");
  const inside =
    hasLegend && legend !== "outside"
      ? placeLegend(whole, entries, size, legend, obstaclesOf(curves, ...scales(whole)))
      : null;
  const isBeside = hasLegend && inside === null;
  const plot = isBeside ? plotBox(x, y, words, legendWidth(entries, size), config) : whole;
  const box = isBeside ? besidePlot(plot, entries, size) : inside;

  const [toX, toY] = scales(plot);
  const key = box === null ? [] : drawLegend(box, entries, { ...config, size });
  const [width, height] = config.figsize.map((inches) => inches * 72);
  const axes = drawAxes(x, y, plot, config);
  return {
    width,
    height,
    background: config.background,
    title: words.title === "" ? `${words.yLabel} over ${words.xLabel}` : words.title,
    shapes: [
      ...axes,
      clip(plot, drawCurves(curves, toX, toY, config)),
      ...key,
      ...drawWords(words, plot, config),
    ],
  };
}
