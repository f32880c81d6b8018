// Which agent plays: the newest of the run, the best one so far, one from a file, or chance.
import { element } from "../components/dom.js";
import type { Library } from "../components/worker/library.js";

export type AgentName = "latest" | "best" | "file" | "random";

export interface KnownAgent {
  readonly bytes: Uint8Array;
  /** What it is called in the choice. */
  readonly label: string;
}

export interface Agents {
  /** Makes an agent known; it plays at once if its kind is chosen. */
  tell(name: Exclude<AgentName, "random">, agent: KnownAgent): void;
  choose(name: AgentName): void;
  /** Forgets all agents: chance plays. */
  clear(): void;
  /** Puts the chosen agent on the stage of a worker. */
  setLibrary(library: Library): void;
  /** The one that plays; null is chance. */
  readonly current: KnownAgent | null;
  readonly names: ReadonlyMap<AgentName, KnownAgent>;
}

const titles: Readonly<Record<AgentName, string>> = {
  latest: "as it learns",
  best: "best so far",
  file: "from a file",
  random: "random",
};

const order = ["latest", "best", "file", "random"] as const;

export function createAgents(host: HTMLElement, failed: (error: unknown) => void): Agents {
  const known = new Map<AgentName, KnownAgent>();
  let chosen: AgentName = "random";
  let library: Library | null = null;
  /** The newest policy wins, however long others take to load. */
  let isSending = false;
  let isAsked = false;

  const select = element("select", { "aria-label": "Who plays" });
  select.addEventListener("change", () => choose(select.value as AgentName));
  host.append(element("h2", {}, ["The agent"]), select);

  function showOptions(): void {
    const names = order.filter((one) => one === "random" || known.has(one));
    // A list that is open must not close because an agent has learned something.
    if (names.join() !== [...select.options].map(({ value }) => value).join()) {
      select.replaceChildren(...names.map((value) => element("option", { value })));
    }
    names.forEach((one, at) => {
      const label = known.get(one)?.label;
      select.options[at].textContent = label === undefined ? titles[one] : `${titles[one]}: ${label}`;
    });
    select.value = chosen;
  }

  async function send(): Promise<void> {
    isAsked = true;
    if (isSending) return;
    isSending = true;
    try {
      while (isAsked && library !== null && !library.isEnded) {
        isAsked = false;
        await library.call("setPolicy", known.get(chosen)?.bytes ?? null);
      }
    } catch (error) {
      failed(error);
    } finally {
      isSending = false;
    }
  }

  function choose(name: AgentName): void {
    chosen = name === "random" || known.has(name) ? name : "random";
    showOptions();
    void send();
  }

  showOptions();
  return {
    names: known,
    get current() {
      return known.get(chosen) ?? null;
    },
    choose,
    tell(name, agent) {
      known.set(name, agent);
      showOptions();
      if (name === chosen) void send();
    },
    clear() {
      known.clear();
      choose("random");
    },
    setLibrary(given) {
      library = given;
      void send();
    },
  };
}
