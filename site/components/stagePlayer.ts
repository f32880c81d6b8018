// A player on a stage: its picture at the rate of the screen, and the controls.
import "./player.css";
import { element } from "./dom.js";
import { keysFor, keySign, usualRate, type KeyMap } from "./keys.js";
import { drawPicture } from "./picture.js";
import type { Stage, StageFrame } from "./stage.js";

export interface StagePlayerOptions {
  readonly stage: Stage;
  /** Where everything random comes from. Default 0. */
  readonly seed?: number;
  /** How many times the usual rate. Default 1. */
  readonly speed?: number;
  /** Keys that take over, where actions are choices. Default: arrows and digits. */
  readonly keys?: KeyMap;
  /** Whether it plays at once. Default true. */
  readonly isPlaying?: boolean;
}

export interface Episode {
  readonly steps: number;
  readonly return: number;
  readonly number: number;
}

export interface StagePlayer {
  play(): void;
  pause(): void;
  /** One step, with the player paused. */
  step(): void;
  reset(seed?: number): void;
  setSpeed(factor: number): void;
  /** Another environment, from its start. */
  setStage(stage: Stage): void;
  destroy(): void;
  readonly episode: Episode;
  readonly seed: number;
  /** Called when an episode is over. */
  onEpisode?: ((episode: Episode) => void) | undefined;
  /** Called when the environment, the policy or the picture fails; the player is paused then. */
  onError?: ((error: unknown) => void) | undefined;
}

/** How long the last picture of an episode stays, in seconds. */
const holdSeconds = 0.6;
/** More steps than this are never made for one picture: the page would wait for them. */
const mostSteps = 2_000;
const rounded = (value: number): number => Math.round(value * 100) / 100;
const speeds = [0.25, 0.5, 1, 2, 4, 16, 64];

export function createStagePlayer(host: HTMLElement, options: StagePlayerOptions): StagePlayer {
  let { stage } = options;
  let seed = options.seed ?? 0;
  let speed = options.speed ?? 1;
  let isPlaying = options.isPlaying ?? true;
  let isTaken = false;
  let isDestroyed = false;
  let frame: StageFrame | null = null;
  /** Who asked last: answers to earlier ones are of another stage or seed. */
  let generation = 0;
  let isWaiting = false;
  let [owed, heldUntil, before] = [0, 0, 0];
  let lastAction: number | null = null;
  let lastReturn: number | null = null;
  const down: string[] = [];

  const picture = element("div", { class: "player-picture" });
  const status = element("output", { class: "player-status number" });
  const hint = element("p", { class: "player-hint muted", hidden: true });
  const playButton = element("button", { type: "button" }, [], {
    click: () => (isPlaying ? player.pause() : player.play()),
  });
  const stepButton = element("button", { type: "button", title: "One step (.)" }, ["Step"], {
    click: () => player.step(),
  });
  const takeButton = element(
    "button",
    { type: "button", "aria-pressed": "false", title: "Act by keyboard" },
    ["Take over"],
    { click: () => take(!isTaken) },
  );
  const seedInput = element("input", { type: "number", min: 0, step: 1, value: seed, class: "player-seed" });
  seedInput.addEventListener("change", () => player.reset(Math.max(0, Math.floor(Number(seedInput.value)))));
  const speedSelect = element(
    "select",
    {},
    speeds.map((one) => element("option", { value: one, selected: one === speed }, [`${one}×`])),
    { change: () => player.setSpeed(Number(speedSelect.value)) },
  );
  const labelled = (name: string, control: HTMLElement) =>
    element("label", { class: "player-label" }, [element("span", {}, [name]), control]);
  const view = element("div", { class: "player", tabindex: 0 }, [
    picture,
    status,
    element("div", { class: "player-controls" }, [
      playButton,
      stepButton,
      labelled("Speed", speedSelect),
      labelled("Seed", seedInput),
      takeButton,
    ]),
    hint,
  ]);
  host.append(view);

  const keyMap = (): KeyMap | null => {
    const { name, actionCount } = stage.info;
    return actionCount === null ? null : (options.keys ?? keysFor(name, actionCount));
  };

  function take(isOn: boolean): void {
    isTaken = isOn && keyMap() !== null;
    lastAction = null;
    down.length = 0;
    takeButton.setAttribute("aria-pressed", String(isTaken));
    hint.hidden = !isTaken;
    if (isTaken) view.focus();
  }

  function showControls(): void {
    playButton.textContent = isPlaying ? "Pause" : "Play";
    playButton.title = isPlaying ? "Pause (space)" : "Play (space)";
    view.setAttribute("aria-label", `${stage.info.name}, played step by step`);
    const keys = keyMap();
    takeButton.hidden = keys === null;
    const named = Object.entries(keys?.actions ?? {}).map(([key, action]) => `${keySign(key)} ${action}`);
    hint.textContent = `You act: ${named.join(" · ")}. Escape gives back.`;
  }

  function show(next: StageFrame): void {
    frame = next;
    if (next.svg === null) picture.textContent = next.seen;
    else drawPicture(picture, next.svg);
    picture.classList.toggle("player-text", next.svg === null);
    if (next.isOver) lastReturn = next.return;
    const parts = [`Episode ${next.number}`, `step ${next.steps}`, `return ${rounded(next.return)}`];
    if (lastReturn !== null) parts.push(`last ${rounded(lastReturn)}`);
    status.textContent = parts.join(" · ");
  }

  function failed(error: unknown): void {
    player.pause();
    if (player.onError === undefined) throw error;
    player.onError(error);
  }

  /** Asks the stage for something, and shows what comes. */
  async function ask(request: (on: Stage) => Promise<StageFrame>): Promise<void> {
    const own = generation;
    isWaiting = true;
    try {
      const next = await request(stage);
      if (own !== generation || isDestroyed) return;
      const { steps, return: total, number } = next;
      show(next);
      if (!next.isOver) return;
      heldUntil = performance.now() + (1000 * holdSeconds) / Math.max(1, speed);
      player.onEpisode?.({ steps, return: total, number });
    } catch (error) {
      if (own === generation) failed(error);
    } finally {
      if (own === generation) isWaiting = false;
    }
  }

  /** The visitor's action now: null lets the agent act, "wait" nobody. */
  function ownAction(): number | null | "wait" {
    const keys = isTaken ? keyMap() : null;
    if (keys === null) return null;
    const pressed = down.at(-1);
    if (pressed !== undefined) return (lastAction = keys.actions[pressed]);
    if (keys.idle === "last") return lastAction ?? "wait";
    return keys.idle;
  }

  function tick(now: number): void {
    if (isDestroyed) return;
    requestAnimationFrame(tick);
    const seconds = Math.min(0.1, (now - before) / 1000);
    before = now;
    if (!isPlaying || now < heldUntil) return;
    const action = ownAction();
    if (action === "wait") {
      owed = 0;
      return;
    }
    // Steps that a slow stage has not made yet are forgiven, not saved up.
    owed = Math.min(owed + seconds * usualRate(stage.info.name) * speed, mostSteps);
    // A screen that comes a little early must not cost a picture.
    const steps = Math.floor(owed + 0.02);
    if (isWaiting || steps < 1) return;
    owed -= steps;
    void ask((on) => on.advance(steps, action));
  }

  function begin(): void {
    generation++;
    [owed, heldUntil, lastReturn] = [0, 0, null];
    void ask((on) => on.reset(seed));
  }

  view.addEventListener("keydown", (event) => {
    if (event.target !== view) return;
    const keys = isTaken ? keyMap() : null;
    const action = keys?.actions[event.key];
    if (keys !== null && action !== undefined) {
      if (!down.includes(event.key)) down.push(event.key);
      if (keys.idle === "wait" && !event.repeat) owed = 1;
    } else if (event.key === "Escape") take(false);
    else if (event.key === " ") playButton.click();
    else if (event.key === ".") player.step();
    else return;
    event.preventDefault();
  });
  view.addEventListener("keyup", ({ key }) => {
    if (down.includes(key)) down.splice(down.indexOf(key), 1);
  });
  view.addEventListener("blur", () => (down.length = 0));

  const player: StagePlayer = {
    get seed() {
      return seed;
    },
    get episode() {
      return { steps: frame?.steps ?? 0, return: frame?.return ?? 0, number: frame?.number ?? 0 };
    },
    play() {
      isPlaying = true;
      showControls();
    },
    pause() {
      isPlaying = false;
      showControls();
    },
    step() {
      player.pause();
      const action = ownAction();
      if (!isWaiting) void ask((on) => on.advance(1, action === "wait" ? null : action));
    },
    reset(given) {
      if (given !== undefined && Number.isFinite(given)) seed = given;
      seedInput.value = String(seed);
      begin();
    },
    setSpeed(factor) {
      speed = factor;
      speedSelect.value = String(factor);
    },
    setStage(given) {
      stage = given;
      take(false);
      showControls();
      begin();
    },
    destroy() {
      isDestroyed = true;
      generation++;
      stage.close();
      view.remove();
    },
  };
  showControls();
  begin();
  requestAnimationFrame(tick);
  return player;
}
