// The part of a run's details that plays its agent: a choice of checkpoints, and the player below it.
import type { RunDetails } from "../../src/dashboard/index.js";
import { button, choice, element, fill, labelled } from "../components/dom.js";
import { formatNumber } from "../components/numbers.js";
import type { Player } from "../components/player.js";

export interface AgentSection {
  readonly element: HTMLElement;
  /** Takes over what has changed: checkpoints come and go while a run trains. */
  show: (details: RunDetails) => void;
  destroy: () => void;
}

export function createAgentSection(id: string): AgentSection {
  let player: Player | null = null;
  let details: RunDetails | null = null;
  let step: number | null = null;
  let member = 0;
  let isGone = false;
  const controls = element("div", { class: "row" });
  const stage = element("div", { class: "stage", id: "stage" });
  const problem = element("p", { class: "muted", role: "status" });
  const root = element("section", {}, [element("h3", {}, ["Agent"]), controls, problem, stage]);

  const start = async (): Promise<void> => {
    if (details === null || step === null || "problem" in details.play) return;
    const { envId, envParams, members } = details.play;
    const played = { id, envId, envParams, step, member: members === null ? null : member };
    problem.textContent = player === null ? "loading …" : "";
    try {
      // The compiler comes only with the first agent that is played.
      const { play, playStep } = await import("./play.js");
      if (player !== null) await playStep(player, played);
      else {
        const made = await play(stage, played);
        if (isGone) made.destroy();
        else player = made;
      }
      problem.textContent = `playing the checkpoint of step ${formatNumber(played.step)}`;
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  };

  const draw = (now: RunDetails): void => {
    if ("problem" in now.play) {
      fill(controls);
      problem.textContent = `It cannot be played here: ${now.play.problem}.`;
      return;
    }
    const { checkpoints } = now;
    if (checkpoints.length === 0) {
      fill(controls);
      problem.textContent = "It has no checkpoints yet that could be played.";
      return;
    }
    const best = checkpoints.find(({ isBest }) => isBest) ?? checkpoints[checkpoints.length - 1];
    if (!checkpoints.some((one) => one.step === step)) step = best.step;
    const options = [...checkpoints].reverse().map(({ step: at, isBest }) => ({
      value: String(at),
      label: `step ${formatNumber(at)}${isBest ? " (best)" : ""}`,
    }));
    const steps = choice(options, String(step), (value) => {
      step = Number(value);
      if (player !== null) void start();
    });
    const { members } = now.play;
    const seeds = Array.from({ length: members ?? 0 }, (_, at) => ({ value: String(at) }));
    const memberChoice = choice(seeds, String(member), (value) => {
      member = Number(value);
      if (player !== null) void start();
    });
    fill(
      controls,
      labelled("checkpoint", steps),
      members === null ? null : labelled("member", memberChoice),
      player === null &&
        button("play", () => void start().then(() => details !== null && draw(details)), { kind: "primary" }),
    );
    if (player === null && problem.textContent.startsWith("It has no")) problem.textContent = "";
  };

  return {
    element: root,
    show: (next) => {
      const isSame = JSON.stringify(next) === JSON.stringify(details);
      details = next;
      if (!isSame) draw(next);
    },
    destroy: () => {
      isGone = true;
      player?.destroy();
    },
  };
}
