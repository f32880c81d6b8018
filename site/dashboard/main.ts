// The dashboard's page: what comes from the server, what the user chooses, and the parts that show it.
import type { DashboardEvent, RunSummary } from "../../src/dashboard/index.js";
import { byId, element, oncePerFrame } from "../components/dom.js";
import "../components/theme.css";
import { fetchConfigs, fetchRuns, takeAddress, type Configs } from "./api.js";
import { createCharts, groupsOf } from "./charts.js";
import { createComparison, settingsApart } from "./configSection.js";
import { CurveStore } from "./curveStore.js";
import "./dashboard.css";
import { createDetails } from "./details.js";
import { listen } from "./live.js";
import { createRunTable } from "./runTable.js";
import { firstView, shownRuns, sorted, type View } from "./state.js";
import { startTheme } from "./theme.js";

const runs = new Map<string, RunSummary>();
let view: View = firstView;
let configs: Configs | null = null;
let isLoaded = false;

const { wantsLatest, run: wantedRun } = takeAddress();
let awaitsLatest = wantsLatest;
if (wantedRun !== null) view = { ...view, open: wantedRun };

const connection = byId("connection", HTMLElement);
let problem = "";
let isUp = true;
const tell = (): void => {
  connection.textContent = problem !== "" ? problem : isUp ? "live" : "not connected; trying again";
  connection.dataset.up = String(isUp && problem === "");
};
const failed = (error: unknown): void => {
  problem = error instanceof Error ? error.message : String(error);
  tell();
};

const change = (changes: Partial<View>): void => {
  view = { ...view, ...changes };
  if ("open" in changes)
    history.replaceState(
      null,
      "",
      view.open === null ? location.pathname : `#run=${encodeURIComponent(view.open)}`,
    );
  draw();
};

/** Everything is drawn from what there is now; at most once a frame. */
const draw = oncePerFrame(() => {
  if (!isLoaded) return;
  const all = [...runs.values()];
  const shown = sorted(shownRuns(all, view), { ...view, sort: "began", isDescending: false });
  charts.show(shown, metricsOf(all));
  table.show(all, view, charts.colors);
  details.show(view.open === null ? null : (runs.get(view.open) ?? null));
  const chosen = [...view.chosen].filter((id) => runs.has(id));
  if ((chosen.length > 1 || charts.view.isGrouped) && configs === null) loadConfigs();
  compare(chosen, configs);
  performance.mark("drawn");
  document.body.dataset.drawn = String(shown.length);
});

/** All metrics there are, returns first. */
function metricsOf(all: readonly RunSummary[]): string[] {
  const first = ["episode_return", "eval_return", "episode_length", "eval_length"];
  const found = new Set(all.flatMap(({ metrics }) => metrics));
  const others = [...found].filter((name) => !first.includes(name)).sort();
  return [...first.filter((name) => found.has(name)), ...others];
}

let isAskingConfigs = false;
const loadConfigs = (): void => {
  if (isAskingConfigs) return;
  isAskingConfigs = true;
  fetchConfigs()
    .then((fetched) => {
      configs = fetched;
      draw();
    })
    .catch(failed)
    .finally(() => (isAskingConfigs = false));
};

/** What a group of seeds is called: its runs' name, and the settings that set it apart from others of that name. */
const labelOf = (members: readonly RunSummary[]): string => {
  const [first] = members;
  const others = groupsOf([...runs.values()].filter(({ name }) => name === first.name))
    .map(([one]) => one)
    .filter(({ group }) => group !== first.group);
  const apart =
    configs === null
      ? ""
      : settingsApart(
          first.id,
          others.map(({ id }) => id),
          configs,
        );
  return apart === "" ? first.name : `${first.name} · ${apart}`;
};

// Curves that come live are not drawn more often than the eye follows.
let drawTimer: ReturnType<typeof setTimeout> | null = null;
const drawSoon = (): void => {
  drawTimer ??= setTimeout(() => {
    drawTimer = null;
    draw();
  }, 100);
};

const main = byId("main", HTMLElement);
const comparison = element("section", { class: "card", id: "comparison", hidden: true });
byId("runs", HTMLElement).after(comparison);
const compare = createComparison(comparison);
const curves = new CurveStore(() => runs.size, drawSoon, failed);
const charts = createCharts(byId("charts", HTMLElement), {
  curves,
  changed: draw,
  failed,
  labelOf,
  hasLabels: () => configs !== null,
});
const table = createRunTable(byId("runs", HTMLElement), change);
const details = createDetails(byId("details", HTMLElement), () => change({ open: null }));

/** Takes over the list of all runs. */
async function load(): Promise<void> {
  const list = await fetchRuns();
  const before = new Map(runs);
  runs.clear();
  for (const run of list.runs) runs.set(run.id, run);
  const place = byId("place", HTMLElement);
  place.textContent = `${list.baseDir} · ${list.version}`;
  const isOther = (run: RunSummary): boolean => {
    const known = before.get(run.id);
    return known?.records !== run.records || known.generation !== run.generation;
  };
  if (before.size > 0) {
    curves.reload([...runs.values()].filter(isOther).map(({ id }) => id));
    for (const id of before.keys()) if (!runs.has(id)) curves.forget(id);
  }
  problem = "";
  isLoaded = true;
  openLatest();
  draw();
  tell();
}

/** Opens the run that `train --dashboard` has just begun. */
function openLatest(): void {
  if (!awaitsLatest) return;
  const running = [...runs.values()].filter(({ status }) => status === "running");
  const latest = sorted(running, { ...view, sort: "began", isDescending: true }).at(0);
  if (latest === undefined) return;
  awaitsLatest = false;
  change({ open: latest.id, chosen: new Set([latest.id]) });
}

function take(event: DashboardEvent): void {
  if (event.kind === "runs") {
    for (const run of event.runs) {
      if (!runs.has(run.id)) configs = null;
      runs.set(run.id, run);
    }
    openLatest();
  } else if (event.kind === "gone") {
    for (const id of event.ids) {
      runs.delete(id);
      curves.forget(id);
    }
    if (view.open !== null && event.ids.includes(view.open)) change({ open: null });
  } else if (event.kind === "points") curves.add(event.id, event.generation, event.metrics);
  else if (event.kind === "reload") curves.reload(event.ids);
  else details.refresh(event.id);
  drawSoon();
}

startTheme(byId("theme", HTMLButtonElement));
main.setAttribute("aria-busy", "true");
// The list and the curves come at once; what changed until the line is up is asked for again when it is.
curves.of("episode_return");
load()
  .catch(failed)
  .finally(() => main.removeAttribute("aria-busy"));
listen({
  event: take,
  reset: () => void load().catch(failed),
  connected: (up) => {
    isUp = up;
    if (up) problem = "";
    tell();
  },
});

document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    document.getElementById("search")?.focus();
  }
});
