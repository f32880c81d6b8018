// The opened run: how it stands, stopping and going on, its agent at play, checkpoints, videos and config.
import type { RunDetails, RunSummary } from "../../src/dashboard/index.js";
import { button, element, fill } from "../components/dom.js";
import { formatCount, formatDuration, formatNumber } from "../components/numbers.js";
import { createAgentSection, type AgentSection } from "./agentSection.js";
import { fetchDetails, hasToken, stopRun, videoAddress } from "./api.js";
import { configTable } from "./configSection.js";

export interface DetailsPanel {
  /** Shows a run, or nothing. */
  show: (run: RunSummary | null) => void;
  /** Asks again for what is in a run's folder, if it is the one that is open. */
  refresh: (id: string) => void;
}

interface Opened {
  readonly id: string;
  readonly agent: AgentSection;
  readonly head: HTMLElement;
  readonly files: HTMLElement;
}

export function createDetails(host: HTMLElement, close: () => void): DetailsPanel {
  let opened: Opened | null = null;
  let run: RunSummary | null = null;
  let details: RunDetails | null = null;
  let said = "";

  const load = async (id: string): Promise<void> => {
    try {
      const fetched = await fetchDetails(id);
      if (opened?.id !== id) return;
      const isSame = JSON.stringify(fetched) === JSON.stringify(details);
      details = fetched;
      opened.agent.show(fetched);
      if (!isSame) drawFiles(opened.files, fetched);
      drawHead();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  };

  const say = (message: string): void => {
    said = message;
    drawHead();
  };

  const stop = async (id: string): Promise<void> => {
    say("stopping …");
    try {
      await stopRun(id);
      say("told to stop: it finishes its step and saves a checkpoint");
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  };

  const copy = async (command: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command);
      say("the command is in the clipboard");
    } catch {
      say(`copy it by hand: ${command}`);
    }
  };

  let drawnHead = "";
  const drawHead = (): void => {
    if (opened === null || run === null) return;
    const { id, status, message } = run;
    const state = JSON.stringify([run, details?.resume, said]);
    if (state === drawnHead) return;
    drawnHead = state;
    const resume = details?.resume;
    const command = resume !== undefined && "command" in resume ? resume.command : null;
    const stopButton = button("stop", () => void stop(id), {
      kind: "danger",
      title: hasToken()
        ? "its process saves a checkpoint and ends"
        : "this page may not: open the address that the terminal shows, which has the token",
    });
    stopButton.disabled = !hasToken();
    fill(
      opened.head,
      element("div", { class: "row" }, [
        element("span", { class: "status", "data-status": status }, [status]),
        status === "running" && stopButton,
        status !== "running" && command !== null && button("copy resume command", () => void copy(command)),
        resume !== undefined &&
          "problem" in resume &&
          element("span", { class: "muted", title: resume.problem }, ["cannot be resumed from here"]),
      ]),
      message !== null &&
        element("p", { class: status === "diverged" || status === "failed" ? "bad" : "muted" }, [message]),
      said !== "" && element("p", { role: "status", class: "said" }, [said]),
      command !== null && status !== "running" && element("pre", { class: "command" }, [command]),
      progressOf(run),
      figuresOf(run),
    );
  };

  const open = (id: string): void => {
    const agent = createAgentSection(id);
    const head = element("div", { class: "head" });
    const files = element("div");
    opened = { id, agent, head, files };
    details = null;
    said = "";
    drawnHead = "";
    const closeButton = button("×", close, { title: "close" });
    closeButton.setAttribute("aria-label", "close the run");
    fill(
      host,
      element("div", { class: "row title" }, [element("h2", {}, [id]), closeButton]),
      head,
      agent.element,
      files,
    );
  };

  return {
    show: (next) => {
      run = next;
      host.hidden = next === null;
      document.body.classList.toggle("with-details", next !== null);
      if (next === null || opened?.id !== next.id) {
        opened?.agent.destroy();
        opened = null;
        fill(host);
      }
      if (next === null) return;
      if (opened === null) {
        open(next.id);
        void load(next.id);
        host.scrollIntoView({ block: "nearest" });
      }
      drawHead();
    },
    refresh: (id) => {
      if (opened?.id === id) void load(id);
    },
  };
}

function progressOf({ step, total, status }: RunSummary): HTMLElement | null {
  if (status !== "running" || step === null || total === null) return null;
  return element("progress", { max: total, value: step, "aria-label": "steps done" });
}

function figuresOf(run: RunSummary): HTMLElement {
  const { step, total, speed, status } = run;
  const left = step !== null && total !== null && speed !== null ? (total - step) / speed : NaN;
  const figures: readonly (readonly [string, string] | null)[] = [
    ["environment", run.env ?? "–"],
    ["algorithm", run.algo ?? "–"],
    ["seed", run.seeds === null ? String(run.seed ?? "–") : run.seeds.join(", ")],
    ["steps", `${formatNumber(step)}${total === null ? "" : ` of ${formatNumber(total)}`}`],
    ["steps a second", speed === null ? "–" : formatCount(speed)],
    status === "running" ? ["time left", formatDuration(left)] : null,
    ["last return", formatNumber(run.lastReturn)],
    [run.isBestEvaluated ? "best evaluation" : "best return", formatNumber(run.bestReturn)],
    ["records", formatNumber(run.records)],
  ];
  return element(
    "dl",
    { class: "figures" },
    figures.flatMap((pair) =>
      pair === null
        ? []
        : [element("div", {}, [element("dt", {}, [pair[0]]), element("dd", { class: "number" }, [pair[1]])])],
    ),
  );
}

/** Checkpoints, videos and the config. */
function drawFiles(host: HTMLElement, { id, checkpoints, videos, config, configProblem }: RunDetails): void {
  const saved = [...checkpoints]
    .reverse()
    .map(({ step, isBest, time }) =>
      element("li", {}, [
        element("span", { class: "number" }, [`step ${formatNumber(step)}`]),
        isBest && element("strong", { class: "good" }, [" best"]),
        element("span", { class: "muted" }, [` ${new Date(time).toLocaleString()}`]),
      ]),
    );
  const played = videos.map((name) => {
    const address = videoAddress(id, name);
    const picture = /\.(mp4|webm)$/i.test(name)
      ? element("video", { src: address, controls: true, loop: true, muted: true, preload: "metadata" })
      : element("img", { src: address, alt: `episode ${name}`, loading: "lazy" });
    return element("figure", {}, [picture, element("figcaption", { class: "muted" }, [name])]);
  });
  fill(
    host,
    element("section", {}, [
      element("h3", {}, [`Checkpoints (${checkpoints.length})`]),
      saved.length === 0
        ? element("p", { class: "muted" }, ["none"])
        : element("ul", { class: "checkpoints" }, saved),
    ]),
    element("section", {}, [
      element("h3", {}, ["Videos"]),
      played.length === 0
        ? element("p", { class: "muted" }, [`none; make one: npx vibe-rl video ${id}`])
        : element("div", { class: "videos" }, played),
    ]),
    element("section", {}, [
      element("h3", {}, ["Config"]),
      config === null ? element("p", { class: "bad" }, [configProblem ?? "none"]) : configTable(config),
    ]),
  );
}
