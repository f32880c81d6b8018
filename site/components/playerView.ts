// What a player looks like: the picture, a line about the episode, and the controls.
import "./player.css";
import { element } from "./dom.js";
import { keySign, type KeyMap } from "./keys.js";
import { drawPicture } from "./picture.js";
import type { StageFrame, StageInfo } from "./stage.js";

/** What the controls do. */
export interface PlayerActions {
  readonly playOrPause: () => void;
  readonly step: () => void;
  readonly takeOver: () => void;
  readonly setSeed: (seed: number) => void;
  readonly setSpeed: (factor: number) => void;
}

export interface PlayerView {
  /** All of it; it takes the focus while a visitor acts. */
  readonly root: HTMLElement;
  showFrame(frame: StageFrame, lastReturn: number | null): void;
  showControls(info: StageInfo, keys: KeyMap | null, isPlaying: boolean): void;
  showTaken(isTaken: boolean): void;
  showSeed(seed: number): void;
  showSpeed(factor: number): void;
}

const speeds = [0.25, 0.5, 1, 2, 4, 16, 64];
const rounded = (value: number): number => Math.round(value * 100) / 100;

const labelled = (name: string, control: HTMLElement): HTMLElement =>
  element("label", { class: "player-label" }, [element("span", {}, [name]), control]);

export function createPlayerView(host: HTMLElement, actions: PlayerActions): PlayerView {
  const picture = element("div", { class: "player-picture" });
  const status = element("output", { class: "player-status number" });
  const hint = element("p", { class: "player-hint muted", hidden: true });
  const play = element("button", { type: "button" }, [], { click: actions.playOrPause });
  const step = element("button", { type: "button", title: "One step (.)" }, ["Step"], {
    click: actions.step,
  });
  const take = element(
    "button",
    { type: "button", "aria-pressed": "false", title: "Act by keyboard" },
    ["Take over"],
    { click: actions.takeOver },
  );
  const seed = element("input", { type: "number", min: 0, step: 1, class: "player-seed" });
  seed.addEventListener("change", () => actions.setSeed(Math.max(0, Math.floor(Number(seed.value)))));
  const speed = element(
    "select",
    {},
    speeds.map((one) => element("option", { value: one }, [`${one}×`])),
    { change: () => actions.setSpeed(Number(speed.value)) },
  );
  const controls = [play, step, labelled("Speed", speed), labelled("Seed", seed), take];
  const root = element("div", { class: "player", tabindex: 0 }, [
    picture,
    status,
    element("div", { class: "player-controls" }, controls),
    hint,
  ]);
  host.append(root);

  return {
    root,
    showFrame(frame, lastReturn) {
      if (frame.svg === null) picture.textContent = frame.seen;
      else drawPicture(picture, frame.svg);
      picture.classList.toggle("player-text", frame.svg === null);
      const parts = [`Episode ${frame.number}`, `step ${frame.steps}`, `return ${rounded(frame.return)}`];
      if (lastReturn !== null) parts.push(`last ${rounded(lastReturn)}`);
      status.textContent = parts.join(" · ");
    },
    showControls({ name }, keys, isPlaying) {
      play.textContent = isPlaying ? "Pause" : "Play";
      play.title = isPlaying ? "Pause (space)" : "Play (space)";
      root.setAttribute("aria-label", `${name}, played step by step`);
      take.hidden = keys === null;
      const named = Object.entries(keys?.actions ?? {}).map(([key, action]) => `${keySign(key)} ${action}`);
      hint.textContent = `You act: ${named.join(" · ")}. Escape gives back.`;
    },
    showTaken(isTaken) {
      take.setAttribute("aria-pressed", String(isTaken));
      hint.hidden = !isTaken;
    },
    showSeed(value) {
      seed.value = String(value);
    },
    showSpeed(factor) {
      speed.value = String(factor);
    },
  };
}
