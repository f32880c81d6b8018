// Configs: all settings of one run, or what differs between those that are compared, side by side.
import { element, fill } from "../components/dom.js";
import type { Configs } from "./api.js";
import { differences, flatten, shortName } from "./configDiff.js";

/** A table of all settings of a run. */
export function configTable(config: Readonly<Record<string, unknown>>): HTMLElement {
  const rows = [...flatten(config)].map(([name, value]) =>
    element("tr", {}, [element("th", { scope: "row" }, [name]), element("td", {}, [value])]),
  );
  return element("table", { class: "settings" }, [element("tbody", {}, rows)]);
}

/** A table of the settings in which runs differ, a column for each run. */
export function differencesTable(ids: readonly string[], configs: Configs): HTMLElement {
  const known = ids.filter((id) => configs[id] !== null && configs[id] !== undefined);
  const found = differences(known.map((id) => configs[id] ?? {}));
  if (known.length < 2)
    return element("p", { class: "muted" }, ["Tick two runs or more to compare their configs."]);
  if (found.length === 0)
    return element("p", { class: "muted" }, ["The configs of these runs are the same."]);
  const head = element("tr", {}, [
    element("th", { scope: "col" }, ["setting"]),
    ...known.map((id) => element("th", { scope: "col" }, [id])),
  ]);
  const rows = found.map(({ name, values }) =>
    element("tr", {}, [
      element("th", { scope: "row" }, [name]),
      ...values.map((value) => element("td", {}, [value])),
    ]),
  );
  return element("div", { class: "scroll" }, [
    element("table", { class: "settings differences" }, [
      element("thead", {}, [head]),
      element("tbody", {}, rows),
    ]),
  ]);
}

/** What sets groups of runs of one name apart, as `lr 0.001`; empty for a group that is alone. */
export function settingsApart(first: string, others: readonly string[], configs: Configs): string {
  const own = configs[first];
  if (own === null || own === undefined) return "";
  const apart = new Map<string, string>();
  for (const other of others) {
    const config = configs[other];
    if (config === null || config === undefined) continue;
    for (const { name, values } of differences([own, config])) {
      if (name !== "runner.seed" && name !== "preset") apart.set(shortName(name), values[0]);
    }
  }
  return [...apart].map(([name, value]) => `${name} ${value}`).join(", ");
}

/** The differences of ticked runs, in a card of their own that is there only when there are some to compare. */
export function createComparison(
  host: HTMLElement,
): (ids: readonly string[], configs: Configs | null) => void {
  let before = "";
  return (ids, configs) => {
    const state = JSON.stringify([ids, configs === null]);
    if (state === before) return;
    before = state;
    host.hidden = ids.length < 2;
    if (host.hidden) return;
    fill(
      host,
      element("h2", {}, [`Settings in which ${ids.length} runs differ`]),
      configs === null ? element("p", { class: "muted" }, ["loading …"]) : differencesTable(ids, configs),
    );
  };
}
