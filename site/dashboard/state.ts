// What the page shows: runs, which of them are chosen, and how.
import type { RunSummary } from "../../src/dashboard/index.js";

export type SortKey =
  | "name"
  | "env"
  | "algo"
  | "seed"
  | "step"
  | "speed"
  | "last"
  | "best"
  | "status"
  | "began";

export interface View {
  readonly search: string;
  readonly sort: SortKey;
  readonly isDescending: boolean;
  /** Runs that were ticked; none: all that the search leaves. */
  readonly chosen: ReadonlySet<string>;
  /** The run whose details are open. */
  readonly open: string | null;
}

export const firstView: View = {
  search: "",
  sort: "began",
  isDescending: true,
  chosen: new Set(),
  open: null,
};

const sortValues: Readonly<Record<SortKey, (run: RunSummary) => number | string | null>> = {
  name: (run) => run.id,
  env: (run) => run.env,
  algo: (run) => run.algo,
  seed: (run) => run.seed,
  step: (run) => run.step,
  speed: (run) => run.speed,
  last: (run) => run.lastReturn,
  best: (run) => run.bestReturn,
  status: (run) => run.status,
  began: (run) => run.began,
};

const names = new Intl.Collator("en", { numeric: true });

/** Runs in the order that was asked for; what has no value comes last. */
export function sorted(runs: readonly RunSummary[], { sort, isDescending }: View): RunSummary[] {
  const valueOf = sortValues[sort];
  const sign = isDescending ? -1 : 1;
  return [...runs].sort((a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
    const order =
      typeof left === "number" && typeof right === "number"
        ? left - right
        : names.compare(String(left), String(right));
    return sign * order || names.compare(a.id, b.id);
  });
}

/** Whether a run has every word of a search in its name, environment, algorithm, status or seed. */
export function matches(run: RunSummary, search: string): boolean {
  const text =
    `${run.id} ${run.env ?? ""} ${run.algo ?? ""} ${run.status} seed:${run.seed ?? ""}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The runs whose curves are shown. */
export const shownRuns = (runs: readonly RunSummary[], view: View): RunSummary[] => {
  const chosen = runs.filter(({ id }) => view.chosen.has(id));
  return chosen.length > 0 ? chosen : runs.filter((run) => matches(run, view.search));
};
