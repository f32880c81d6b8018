// The choices above the settings: environment, algorithm, preset, and devices where the page may share memory.
import { choice as select, element, fill, labelled } from "../components/dom.js";
import type { Catalog } from "../components/worker/settings.js";
import { algosOf, presetsFor, startingChoice, type Algo, type Choice } from "./choice.js";

/** How many devices a run can have here: threads share memory only where the page is isolated. */
export const mostDevices = (): number =>
  crossOriginIsolated ? Math.max(1, navigator.hardwareConcurrency) : 1;

const titles: Readonly<Record<Algo, string>> = { ppo: "PPO", dqn: "DQN", sac: "SAC" };

export interface ChooserHosts {
  readonly environment: HTMLElement;
  readonly algorithm: HTMLElement;
  readonly description: HTMLElement;
}

/** Shows a choice. `ownAlgos` are those for the visitor's environment, where they are known. */
export function showChoosers(
  { environment, algorithm, description }: ChooserHosts,
  catalog: Catalog,
  choice: Choice,
  ownAlgos: readonly string[] | null,
  change: (next: Choice) => void,
): void {
  const { envId, algo, preset, devices } = choice;
  const known = envId === null && ownAlgos !== null ? ownAlgos : algosOf(catalog, envId);
  const own = presetsFor(catalog, envId, algo);
  fill(
    environment,
    labelled(
      "Environment",
      select(
        catalog.environments.map(({ id }) => ({ value: id })),
        envId ?? "",
        (id) => change(startingChoice(catalog, id, algo, devices)),
      ),
    ),
  );
  const algos = known.map((value) => ({ value, label: titles[value as Algo] }));
  const starts = [...own.map(({ name }) => ({ value: name })), { value: "none", label: "defaults" }];
  fill(
    algorithm,
    labelled(
      "Algorithm",
      select(algos, algo, (name) => change(startingChoice(catalog, envId, name as Algo, devices))),
    ),
    labelled(
      "Start from",
      select(starts, preset ?? "none", (name) =>
        change({ ...choice, preset: name === "none" ? null : name, changes: {} }),
      ),
    ),
    deviceChooser(choice, change),
  );
  const found = own.find(({ name }) => name === preset);
  description.textContent = found === undefined ? "" : `To ${found.description}.`;
}

function deviceChooser(choice: Choice, change: (next: Choice) => void): HTMLElement | null {
  const most = mostDevices();
  if (most === 1) return null;
  const counts = Array.from({ length: most }, (_, at) => ({ value: String(at + 1) }));
  const control = select(counts, String(choice.devices), (count) =>
    change({ ...choice, devices: Number(count) }),
  );
  return element("div", { title: "Threads that train together, each with its own environments" }, [
    labelled("Devices", control),
  ]);
}
