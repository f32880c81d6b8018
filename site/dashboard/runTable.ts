// The list of runs: search, sort, tick to compare, open to see more. Rows stay; only what changes is written.
import type { RunSummary } from "../../src/dashboard/index.js";
import { button, element, fill } from "../components/dom.js";
import { formatCount, formatNumber } from "../components/numbers.js";
import { cssColor } from "../components/themeColors.js";
import { matches, sorted, type SortKey, type View } from "./state.js";

export interface RunTable {
  show: (runs: readonly RunSummary[], view: View, colors: ReadonlyMap<string, string>) => void;
}

interface Row {
  readonly row: HTMLTableRowElement;
  readonly update: (run: RunSummary, view: View, color: string | undefined) => void;
}

const columns: readonly { readonly key: SortKey; readonly label: string; readonly isNumber?: boolean }[] = [
  { key: "name", label: "run" },
  { key: "env", label: "environment" },
  { key: "algo", label: "algorithm" },
  { key: "seed", label: "seed", isNumber: true },
  { key: "step", label: "steps", isNumber: true },
  { key: "speed", label: "steps/s", isNumber: true },
  { key: "last", label: "last return", isNumber: true },
  { key: "best", label: "best return", isNumber: true },
  { key: "status", label: "status" },
];

const seedOf = ({ seed, seeds }: RunSummary): string =>
  seeds === null ? (seed === null ? "–" : String(seed)) : `${seeds.length} seeds`;

const stepsOf = ({ step, total }: RunSummary): string =>
  step === null ? "–" : total === null ? formatCount(step) : `${formatCount(step)} / ${formatCount(total)}`;

/** What each column says. */
const textOf: Readonly<Record<string, (run: RunSummary) => string>> = {
  env: ({ env }) => env ?? "–",
  algo: ({ algo }) => algo ?? "–",
  seed: seedOf,
  step: stepsOf,
  speed: ({ speed }) => (speed === null ? "–" : formatCount(speed)),
  last: ({ lastReturn }) => formatNumber(lastReturn),
  best: ({ bestReturn }) => formatNumber(bestReturn),
};

export function createRunTable(host: HTMLElement, change: (view: Partial<View>) => void): RunTable {
  let shown: readonly RunSummary[] = [];
  let view: View | null = null;
  const rows = new Map<string, Row>();

  const search = element(
    "input",
    { type: "search", placeholder: "search runs", "aria-label": "search runs", id: "search" },
    [],
    { input: () => change({ search: search.value }) },
  );
  const count = element("span", { class: "muted", role: "status" });
  const clear = button("untick all", () => change({ chosen: new Set() }));
  const tickAll = element("input", { type: "checkbox", "aria-label": "tick all runs of the list" }, [], {
    change: () => change({ chosen: new Set(tickAll.checked ? shown.map(({ id }) => id) : []) }),
  });
  const heads = columns.map(({ key, label, isNumber }) =>
    element("th", { scope: "col", class: isNumber === true ? "number" : undefined, "data-column": key }, [
      element("button", { type: "button", class: "sort" }, [label], {
        click: () =>
          change({ sort: key, isDescending: view?.sort === key ? !view.isDescending : isNumber === true }),
      }),
    ]),
  );
  const body = element("tbody");
  const empty = element("p", { class: "muted empty" });
  fill(
    host,
    element("div", { class: "row bar" }, [element("h2", {}, ["Runs"]), search, count, clear]),
    element("div", { class: "scroll", tabindex: -1 }, [
      element("table", { class: "runs" }, [
        element("thead", {}, [element("tr", {}, [element("th", { class: "tick" }, [tickAll]), ...heads])]),
        body,
      ]),
      empty,
    ]),
  );

  const rowOf = (id: string): Row => {
    const found = rows.get(id);
    if (found !== undefined) return found;
    const made = createRow(
      id,
      () => change({ open: view?.open === id ? null : id }),
      (isTicked) => {
        const chosen = new Set(view?.chosen);
        if (isTicked) chosen.add(id);
        else chosen.delete(id);
        change({ chosen });
      },
    );
    rows.set(id, made);
    return made;
  };

  return {
    show: (runs, next, colors) => {
      view = next;
      shown = sorted(
        runs.filter((run) => matches(run, next.search)),
        next,
      );
      const wanted = shown.map((run) => {
        const { row, update } = rowOf(run.id);
        update(run, next, colors.get(run.id));
        return row;
      });
      const isSame =
        body.children.length === wanted.length && wanted.every((row, at) => body.children[at] === row);
      if (!isSame) body.replaceChildren(...wanted);
      const known = new Set(runs.map(({ id }) => id));
      for (const id of rows.keys()) if (!known.has(id)) rows.delete(id);
      heads.forEach((head, at) => {
        const isSorted = columns[at].key === next.sort;
        head.setAttribute("aria-sort", isSorted ? (next.isDescending ? "descending" : "ascending") : "none");
      });
      count.textContent =
        shown.length === runs.length ? `${runs.length}` : `${shown.length} of ${runs.length}`;
      clear.hidden = next.chosen.size === 0;
      clear.textContent = `untick ${next.chosen.size}`;
      tickAll.checked = shown.length > 0 && shown.every(({ id }) => next.chosen.has(id));
      empty.hidden = shown.length > 0;
      empty.textContent =
        runs.length === 0 ? "No runs yet. Train one: npx vibe-rl train cartpole_ppo" : "No run matches.";
    },
  };
}

function createRow(id: string, open: () => void, tick: (isTicked: boolean) => void): Row {
  const box = element("input", { type: "checkbox", "aria-label": `compare ${id}` }, [], {
    change: () => tick(box.checked),
  });
  const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
  const name = element("button", { type: "button", class: "name", "aria-expanded": "false" }, [id], {
    click: open,
  });
  const status = element("span", { class: "status" });
  const cells = columns.map(({ key, label, isNumber }) =>
    element(
      key === "name" ? "th" : "td",
      {
        class: isNumber === true ? "number" : undefined,
        "data-column": key,
        "data-label": label,
        scope: key === "name" ? "row" : undefined,
      },
      key === "name" ? [swatch, name] : key === "status" ? [status] : [],
    ),
  );
  const row = element("tr", { "data-run": id }, [element("td", { class: "tick" }, [box]), ...cells]);
  let before = "";
  const update: Row["update"] = (run, view, color) => {
    const isTicked = view.chosen.has(id);
    const isOpen = view.open === id;
    const state = JSON.stringify([run, isTicked, isOpen, color]);
    if (state === before) return;
    before = state;
    box.checked = isTicked;
    row.classList.toggle("open", isOpen);
    name.setAttribute("aria-expanded", String(isOpen));
    swatch.style.background = color === undefined ? "transparent" : cssColor(color);
    columns.forEach(({ key }, at) => {
      if (key in textOf) cells[at].textContent = textOf[key](run);
    });
    const evaluated = run.isBestEvaluated
      ? "the best evaluation"
      : "the best mean of episodes; there are no evaluations";
    cells[columns.findIndex(({ key }) => key === "best")].title = evaluated;
    status.textContent = run.isLoaded ? run.status : "reading …";
    status.dataset.status = run.status;
    status.title = run.message ?? "";
  };
  return { row, update };
}
