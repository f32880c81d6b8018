// The curves: one chart for each chosen metric, over the runs that are shown, alone or as groups of seeds.
import type { RunSummary } from "../../src/dashboard/index.js";
import { createChart, type Chart, type ChartSeries } from "../components/chart.js";
import { button, choice, element, fill, labelled } from "../components/dom.js";
import { seriesColor } from "../components/themeColors.js";
import { fetchCurves, type FetchedCurve } from "./api.js";
import type { CurveStore } from "./curveStore.js";
import { summarize, type Points } from "./groups.js";

export interface ChartsView {
  readonly metrics: readonly string[];
  readonly smoothing: number;
  readonly isLog: boolean;
  readonly isGrouped: boolean;
}

export interface Charts {
  /** Draws anew; `runs` are those to be seen, `known` all metrics that there are. */
  show: (runs: readonly RunSummary[], known: readonly string[]) => void;
  /** The colours of the curves, by run. */
  readonly colors: ReadonlyMap<string, string>;
  readonly view: ChartsView;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

interface Panel {
  readonly metric: string;
  readonly host: HTMLElement;
  readonly chart: Chart;
  /** What was drawn last. */
  drawn: string;
  /** Curves in full detail, while the chart is zoomed and few are shown. */
  detail: ReadonlyMap<string, FetchedCurve> | null;
}

/** Zoomed in, so many runs are shown in full detail. */
const mostDetailed = 20;

interface ChartsOptions {
  readonly curves: CurveStore;
  readonly changed: () => void;
  readonly failed: (error: unknown) => void;
  /** What a group is called, and whether that is known by now. */
  readonly labelOf: (runs: readonly RunSummary[]) => string;
  readonly hasLabels: () => boolean;
}

/** What is shown at first: what people train for. */
const usual = ["episode_return", "eval_return"];

export function createCharts(
  host: HTMLElement,
  { curves, changed, failed, labelOf, hasLabels }: ChartsOptions,
): Charts {
  let view: ChartsView = { metrics: ["episode_return"], smoothing: 0, isLog: false, isGrouped: false };
  let runs: readonly RunSummary[] = [];
  let known: readonly string[] = [];
  let colors = new Map<string, string>();
  const panels: Panel[] = [];

  const metricSlot = element("span", { class: "row" });
  const smoothing = element("input", {
    type: "range",
    min: 0,
    max: 0.99,
    step: 0.01,
    value: 0,
    id: "smoothing",
  });
  smoothing.addEventListener("input", () => update({ smoothing: Number(smoothing.value) }));
  const toggle = (label: string, key: "isLog" | "isGrouped", title: string): HTMLButtonElement => {
    const made = button(
      label,
      () => {
        update({ [key]: !view[key] });
        made.setAttribute("aria-pressed", String(view[key]));
      },
      { pressed: false, title },
    );
    return made;
  };
  const grid = element("div", { class: "chart-grid" });
  fill(
    host,
    element("div", { class: "row bar card" }, [
      metricSlot,
      labelled("smoothing", smoothing),
      toggle("log scale", "isLog", "values of 0 and below are left out"),
      toggle(
        "group seeds",
        "isGrouped",
        "runs that differ in their seeds only: their mean, with a band of one standard deviation",
      ),
    ]),
    grid,
  );

  const update = (changes: Partial<ChartsView>): void => {
    view = { ...view, ...changes };
    for (const { chart } of panels) chart.update({ smoothing: view.smoothing, logScale: view.isLog });
    changed();
  };

  /** Choices of metrics: one for each chart, and one more to add a chart. */
  const drawChoices = (): void => {
    const options = known.map((value) => ({ value }));
    const replace = (at: number, metric: string): void =>
      update({ metrics: view.metrics.map((one, index) => (index === at ? metric : one)) });
    const choices = view.metrics.map((metric, at) => {
      const select = choice(
        options.some(({ value }) => value === metric) ? options : [{ value: metric }, ...options],
        metric,
        (next) => replace(at, next),
      );
      select.setAttribute("aria-label", `metric of chart ${at + 1}`);
      const close = button("×", () => update({ metrics: view.metrics.filter((_, index) => index !== at) }), {
        title: `close ${metric}`,
      });
      close.setAttribute("aria-label", `close ${metric}`);
      close.hidden = view.metrics.length === 1;
      return element("span", { class: "metric-choice" }, [select, close]);
    });
    const next = [...usual, ...known].find(
      (metric) => known.includes(metric) && !view.metrics.includes(metric),
    );
    const add = button("add chart", () => {
      if (next !== undefined) update({ metrics: [...view.metrics, next] });
    });
    add.disabled = next === undefined;
    fill(metricSlot, ...choices, add);
  };

  const zoomed = async (panel: Panel, range: Range | null): Promise<void> => {
    panel.detail = null;
    if (range !== null && runs.length > 0 && runs.length <= mostDetailed) {
      const ids = runs.map(({ id }) => id);
      const fetched = await fetchCurves({ metric: panel.metric, runs: ids, buckets: 2_000, range });
      panel.detail = new Map(fetched.map((curve) => [curve.id, curve]));
    }
    panel.drawn = "";
    drawPanel(panel);
  };

  const openPanel = (metric: string): Panel => {
    const place = element("div", { class: "card", "data-metric": metric });
    const chart = createChart(place, {
      title: metric,
      xLabel: "steps",
      height: 280,
      smoothing: view.smoothing,
      logScale: view.isLog,
      onZoom: (range) => {
        zoomed(panel, range).catch(failed);
      },
    });
    const panel: Panel = { metric, host: place, chart, drawn: "", detail: null };
    return panel;
  };

  /** Panels for the metrics that are shown; others go. */
  const arrange = (): void => {
    const wanted = view.metrics.map((metric) => panels.find((panel) => panel.metric === metric) ?? metric);
    for (const panel of panels) {
      if (wanted.includes(panel)) continue;
      panel.chart.destroy();
      panel.host.remove();
    }
    const next = wanted.map((one) => {
      if (typeof one !== "string") return one;
      // The chart takes its width from its place in the page.
      const panel = openPanel(one);
      return panel;
    });
    panels.splice(0, panels.length, ...next);
    const isSame =
      next.every((panel, at) => grid.children[at] === panel.host) && grid.children.length === next.length;
    if (!isSame) grid.replaceChildren(...next.map((panel) => panel.host));
    curves.keepOnly(view.metrics);
  };

  const curveOf = (panel: Panel, id: string): Points | undefined =>
    panel.detail?.get(id) ?? curves.of(panel.metric).get(id);

  /** Most of what changes on the page leaves the curves as they are. */
  const drawPanel = (panel: Panel): void => {
    const all = curves.of(panel.metric);
    const states = runs.map(({ id, group }) => {
      const curve = all.get(id);
      return `${id} ${group} ${curve?.total ?? ""} ${curve?.generation ?? ""}`;
    });
    const state = JSON.stringify([view.isGrouped, hasLabels(), panel.detail !== null, ...states]);
    if (state === panel.drawn) return;
    panel.drawn = state;
    panel.chart.set(view.isGrouped ? groupedSeries(panel) : singleSeries(panel));
  };

  const singleSeries = (panel: Panel): ChartSeries[] => {
    curves.of(panel.metric);
    return runs.flatMap(({ id }) => {
      const curve = curveOf(panel, id);
      return curve === undefined
        ? []
        : [{ label: id, x: curve.x, y: curve.y, color: colors.get(id) ?? "--muted" }];
    });
  };

  const groupedSeries = (panel: Panel): ChartSeries[] => {
    curves.of(panel.metric);
    return groupsOf(runs).flatMap((members) => {
      const found = members.flatMap(({ id }) => curveOf(panel, id) ?? []);
      if (found.length === 0) return [];
      const { x, y, low, high } = summarize(found);
      const label = `${labelOf(members)} (${members.length} ${members.length === 1 ? "run" : "seeds"})`;
      const color = colors.get(members[0].id) ?? "--muted";
      return [{ label, x, y, color, ...(found.length > 1 && { low, high }) }];
    });
  };

  let drawnChoices = "";
  return {
    get colors() {
      return colors;
    },
    get view() {
      return view;
    },
    show: (next, metrics) => {
      runs = next;
      known = metrics;
      colors = colorsOf(runs, view.isGrouped);
      const state = JSON.stringify([known, view.metrics]);
      if (state !== drawnChoices) drawChoices();
      drawnChoices = state;
      arrange();
      for (const panel of panels) drawPanel(panel);
    },
  };
}

/** Runs that differ in nothing but their seeds, together. */
export function groupsOf(runs: readonly RunSummary[]): RunSummary[][] {
  const groups = new Map<string, RunSummary[]>();
  for (const run of runs) {
    const members = groups.get(run.group) ?? [];
    members.push(run);
    groups.set(run.group, members);
  }
  return [...groups.values()];
}

/** A colour for each run, or for each group of them. */
function colorsOf(runs: readonly RunSummary[], isGrouped: boolean): Map<string, string> {
  const groups = isGrouped ? groupsOf(runs) : runs.map((run) => [run]);
  return new Map(groups.flatMap((members, at) => members.map(({ id }) => [id, seriesColor(at)] as const)));
}
