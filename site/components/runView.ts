// A run as it is seen: its curve, its progress, and its figures. The playground and the live examples show runs so.
import "./runView.css";
import { createChart, type Chart } from "./chart.js";
import { element } from "./dom.js";
import type { TrainEvent } from "./worker/training.js";

type LoggedRecord = Extract<TrainEvent, { kind: "record" }>["record"];
type Progress = Extract<TrainEvent, { kind: "progress" }>["progress"];

export interface RunView {
  /** Starts an empty curve. */
  begin(): void;
  hear(event: TrainEvent): void;
  /** Says how the run has ended. */
  end(how: string): void;
  /** Every record of the run. */
  readonly records: readonly LoggedRecord[];
}

interface Curve {
  readonly x: number[];
  readonly y: number[];
}

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const returns = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

export function createRunView(
  host: HTMLElement,
  { height = 260 }: { readonly height?: number } = {},
): RunView {
  const plot = element("div");
  const bar = element("span");
  const progressBar = element(
    "div",
    {
      class: "progress",
      role: "progressbar",
      "aria-label": "Progress of the run",
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    },
    [bar],
  );
  const figures = element("p", { class: "muted small number figures" }, ["Not trained yet."]);
  host.append(plot, progressBar, figures);
  const chart: Chart = createChart(plot, { title: "Return of an episode", xLabel: "steps", height });
  let records: LoggedRecord[] = [];
  let [trained, evaluated]: [Curve, Curve] = [
    { x: [], y: [] },
    { x: [], y: [] },
  ];
  let startedAt = 0;
  let last: Progress | null = null;

  const draw = (): void =>
    chart.set(
      [
        { label: "training", ...trained },
        { label: "evaluation", ...evaluated },
      ].filter(({ x }) => x.length > 0),
    );

  function showProgress(progress: Progress): void {
    const percent = Math.min(100, (100 * progress.step) / progress.total);
    bar.style.width = `${percent}%`;
    progressBar.setAttribute("aria-valuenow", String(Math.round(percent)));
    figures.textContent = textOf(progress);
  }

  const textOf = ({ step, total, stepsPerSecond, secondsLeft, evalReturn }: Progress): string =>
    [
      `${whole.format(step)} of ${whole.format(total)} steps`,
      `${short.format(stepsPerSecond)} steps/s`,
      step < total && Number.isFinite(secondsLeft) ? `${secondsLeft.toFixed(1)} s left` : null,
      evalReturn === null ? null : `evaluated: ${returns.format(evalReturn)}`,
    ]
      .filter((part) => part !== null)
      .join(" · ");

  return {
    get records() {
      return records;
    },
    begin() {
      records = [];
      [trained, evaluated] = [
        { x: [], y: [] },
        { x: [], y: [] },
      ];
      [startedAt, last] = [performance.now(), null];
      bar.style.width = "0";
      figures.textContent = "Compiling …";
      draw();
    },
    hear(event) {
      if (event.kind === "progress") {
        last = event.progress;
        showProgress(event.progress);
      }
      if (event.kind !== "record") return;
      const { record } = event;
      records.push(record);
      const add = (curve: Curve, name: string): void => {
        const value = record[name] as unknown;
        if (typeof value !== "number" || !Number.isFinite(value)) return;
        curve.x.push(record.step);
        curve.y.push(value);
      };
      add(trained, "episode_return");
      add(evaluated, "eval_return");
      draw();
    },
    end(how) {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      figures.textContent = `${how} after ${seconds} s${last === null ? "" : ` · ${textOf(last)}`}`;
    },
  };
}
