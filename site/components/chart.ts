// A chart of curves over a common x: uPlot's axes, cursor and zoom, with curves that need not share their x values.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { nearestIndex, padded, smooth, xRange, yRange, type ChartSeries, type Range } from "./chartCurves.js";
import { drawSeries, type DrawnSeries } from "./chartDrawing.js";
import { createLegend } from "./chartLegend.js";
import { element, fill, oncePerFrame } from "./dom.js";
import { formatTick } from "./numbers.js";
import { onThemeChange, resolveColor, seriesColor } from "./themeColors.js";

export type { ChartSeries } from "./chartCurves.js";

export interface ChartOptions {
  readonly title: string;
  readonly xLabel?: string;
  /** Of the plane with its axes, in CSS pixels; default 260. */
  readonly height?: number;
  /** Whether y is logarithmic; values of 0 and below are left out then. Default false. */
  readonly logScale?: boolean;
  /** The weight of what came before, 0 (none, the default) to just below 1. */
  readonly smoothing?: number;
  /** Told the part of x that is shown after a zoom, null when it is all of it again. */
  readonly onZoom?: (range: Range | null) => void;
}

export interface Chart {
  set: (series: readonly ChartSeries[]) => void;
  update: (options: Partial<ChartOptions>) => void;
  destroy: () => void;
}

/** Smoothed values are drawn over the raw ones as long as one can tell them apart. */
const mostRawCurves = 8;

/** A chart in `host` that follows its width. Drag to zoom, double-click (or Escape) to see everything again. */
export function createChart(host: HTMLElement, initial: ChartOptions): Chart {
  let options = initial;
  let given: readonly ChartSeries[] = [];
  let curves: readonly DrawnSeries[] = [];
  let zoom: Range | null = null;
  let shown: { x: Range; y: Range } = { x: { min: 0, max: 1 }, y: { min: 0.1, max: 1 } };
  let plot: uPlot | null = null;

  const title = element("div", { class: "chart-title" });
  const plane = element("div", {
    class: "chart-plot",
    tabindex: 0,
    role: "group",
    "aria-roledescription": "chart",
  });
  const empty = element("div", { class: "chart-empty" });
  const legend = createLegend();
  const root = element("div", { class: "chart" }, [title, plane, legend.element]);
  host.append(root);

  const isLog = (): boolean => options.logScale === true;

  const draw = (u: uPlot): void => {
    const { left, top, width, height } = u.bbox;
    const area = { left, top, width, height, x: shown.x, y: shown.y, isLog: isLog() };
    // For tests and benchmarks: what the picture shows.
    root.dataset.curves = String(curves.length);
    drawSeries(u.ctx, curves, area, { pixelRatio: devicePixelRatio, resolve: resolveColor });
  };

  /** The legend's values at the cursor, or the names alone. */
  const showCursor = (u: uPlot): void => {
    const { left = -1, top = -1 } = u.cursor;
    if (left < 0) {
      legend.show(curves, null);
      return;
    }
    const x = u.posToVal(left, "x");
    legend.show(curves, {
      x,
      y: u.posToVal(top, "y"),
      values: curves.map((curve) => curve.y[nearestIndex(curve.x, x)] ?? NaN),
    });
  };

  const setZoom = (range: Range | null): void => {
    zoom = range;
    refresh();
    options.onZoom?.(range);
  };

  const takeSelection = (u: uPlot): void => {
    const { left, width } = u.select;
    if (width < 3) return;
    const range = { min: u.posToVal(left, "x"), max: u.posToVal(left + width, "x") };
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    setZoom(range);
  };

  const axis = (label?: string): uPlot.Axis => ({
    stroke: () => resolveColor("--muted"),
    grid: { stroke: () => resolveColor("--line"), width: 1 },
    ticks: { stroke: () => resolveColor("--line"), width: 1, size: 4 },
    font: "12px system-ui, sans-serif",
    values: (_, splits) =>
      splits.map((value) => ((value as number | null) === null ? "" : formatTick(value))),
    ...(label === undefined
      ? { size: 56 }
      : { label, labelSize: 18, labelFont: "12px system-ui, sans-serif", size: 32 }),
  });

  /** uPlot cannot change the kind of a scale, so a new plot is made for it. */
  const build = (): void => {
    plot?.destroy();
    // A scale that is logarithmic now cannot show what one that was not has shown.
    measure();
    const { height = 260, xLabel = "" } = options;
    title.textContent = options.title;
    plane.setAttribute(
      "aria-label",
      `${options.title}; arrow keys move the cursor, + and − zoom, Escape shows all`,
    );
    plot = new uPlot(
      {
        width: Math.max(120, root.clientWidth),
        height,
        legend: { show: false },
        padding: [8, 12, 0, 0],
        scales: {
          x: { time: false, auto: false, range: () => [shown.x.min, shown.x.max] },
          y: { auto: false, distr: isLog() ? 3 : 1, range: () => [shown.y.min, shown.y.max] },
        },
        axes: [axis(xLabel), axis()],
        // The curves are drawn by `draw`; these two points only give uPlot something to hold.
        series: [{}, { paths: () => null, points: { show: false } }],
        cursor: {
          drag: { x: true, y: false, setScale: false },
          points: { show: false },
          bind: {
            dblclick: () => () => {
              setZoom(null);
              return null;
            },
          },
        },
        hooks: { draw: [draw], setCursor: [showCursor], setSelect: [takeSelection] },
      },
      [
        [0, 1],
        [1, 1],
      ],
      plane,
    );
    plane.append(empty);
  };

  const prepare = (): void => {
    const weight = options.smoothing ?? 0;
    const keepsRaw = weight > 0 && given.length <= mostRawCurves;
    curves = given.map((series, index) => ({
      ...series,
      y: smooth(series.y, weight),
      ...(series.low === undefined ? {} : { low: smooth(series.low, weight) }),
      ...(series.high === undefined ? {} : { high: smooth(series.high, weight) }),
      color: series.color ?? seriesColor(index),
      raw: keepsRaw && series.low === undefined ? series.y : null,
    }));
  };

  /** What is to be seen: all of it or the part that was zoomed to, as high as its values. */
  const measure = (): void => {
    const x = zoom ?? xRange(curves) ?? { min: 0, max: 1 };
    const raw = curves.flatMap((curve) => (curve.raw === null ? [] : [{ ...curve, y: curve.raw }]));
    const y = yRange([...curves, ...raw], x, isLog());
    shown = { x, y: y === null ? { min: 0.1, max: 1 } : isLog() ? roundedLog(y) : padded(y) };
    fill(empty, y === null ? emptyReason() : null);
  };

  const refresh = oncePerFrame(() => {
    if (plot === null) return;
    measure();
    const current = plot;
    current.batch(() => {
      current.setScale("x", shown.x);
      current.setScale("y", shown.y);
      current.redraw(false, true);
    });
    showCursor(current);
  });

  const emptyReason = (): string => {
    if (given.every((series) => series.x.length === 0)) return "no values yet";
    return isLog() ? "no values above 0 here: a logarithmic scale shows none" : "no finite values here";
  };

  plane.addEventListener("keydown", (event) => {
    if (plot === null || !moveByKey(plot, event.key, zoom ?? shown.x, setZoom)) return;
    event.preventDefault();
  });

  const observer = new ResizeObserver(() => {
    const width = root.clientWidth;
    if (plot === null || width === 0 || width === plot.width) return;
    plot.setSize({ width, height: plot.height });
  });

  build();
  observer.observe(root);
  const endTheme = onThemeChange(() => plot?.redraw(false, true));
  refresh();

  return {
    set(series) {
      given = series;
      prepare();
      refresh();
    },
    update(changes) {
      const before = options;
      options = { ...options, ...changes };
      const { logScale, height, xLabel, title: name } = before;
      const isSamePlot =
        logScale === options.logScale &&
        height === options.height &&
        xLabel === options.xLabel &&
        name === options.title;
      prepare();
      if (!isSamePlot) build();
      refresh();
    },
    destroy() {
      endTheme();
      observer.disconnect();
      plot?.destroy();
      plot = null;
      root.remove();
    },
  };
}

/** Out to the next round numbers; uPlot names the lowest value of a logarithmic axis, whatever it is. */
function roundedLog({ min, max }: Range): Range {
  const [low, high] = uPlot.rangeLog(min, max, 10, false);
  return { min: low ?? min / 2, max: high ?? max * 2 };
}

/** What a key does to the plot; false for keys that are not the chart's. */
function moveByKey(plot: uPlot, key: string, x: Range, setZoom: (range: Range | null) => void): boolean {
  const { width, height } = plot.over.getBoundingClientRect();
  const { left = -10, top = -10 } = plot.cursor;
  const at = left < 0 ? width / 2 : left;
  const span = x.max - x.min;
  const middle = plot.posToVal(at, "x");
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const next = at + (key === "ArrowLeft" ? -1 : 1) * Math.max(1, width / 100);
    plot.setCursor({ left: Math.max(0, Math.min(width, next)), top: top < 0 ? height / 2 : top });
  } else if (key === "+" || key === "=")
    setZoom({ min: middle - (middle - x.min) / 2, max: middle + (x.max - middle) / 2 });
  else if (key === "-" || key === "−") setZoom({ min: x.min - span / 2, max: x.max + span / 2 });
  else if (key === "Escape" || key === "0") setZoom(null);
  else return false;
  return true;
}
