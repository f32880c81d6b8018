// A player on a stage: as many steps as time has passed, drawn at the rate of the screen, and what its controls do.
import { createHeldKeys } from "./heldKeys.js";
import { keysFor, usualRate, type KeyMap } from "./keys.js";
import { createPlayerView } from "./playerView.js";
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
  play: () => void;
  pause: () => void;
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

/** How long the last picture of an episode stays, in seconds: a part of the episode's own time, within limits. */
const holdOf = (episodeSeconds: number): number => Math.min(0.5, 0.1 + 0.2 * episodeSeconds);
/** More steps than this are never made for one picture: the page would wait for them. */
const mostSteps = 2_000;

export function createStagePlayer(host: HTMLElement, options: StagePlayerOptions): StagePlayer {
  let { stage, seed = 0, speed = 1, isPlaying = true } = options;
  let [isTaken, isDestroyed, isWaiting] = [false, false, false];
  let frame: StageFrame | null = null;
  let lastReturn: number | null = null;
  /** Who asked last: answers to earlier ones are of another stage or seed. */
  let generation = 0;
  /** Steps that are due, until when the last picture is held, and the time of the last tick. */
  let [owed, heldUntil, before] = [0, 0, 0];
  const held = createHeldKeys();

  const view = createPlayerView(host, {
    playOrPause: () => (isPlaying ? player.pause() : player.play()),
    step: () => player.step(),
    takeOver: () => take(!isTaken),
    setSeed: (value) => player.reset(value),
    setSpeed: (factor) => player.setSpeed(factor),
  });

  const keyMap = (): KeyMap | null => {
    const { name, actionCount } = stage.info;
    return actionCount === null ? null : (options.keys ?? keysFor(name, actionCount));
  };

  const showControls = (): void => view.showControls(stage.info, keyMap(), isPlaying);

  function take(isOn: boolean): void {
    isTaken = isOn && keyMap() !== null;
    held.clear();
    view.showTaken(isTaken);
    if (isTaken) view.root.focus();
  }

  /** The visitor's action now: null lets the agent act, "wait" nobody. */
  function ownAction(): number | null | "wait" {
    const keys = isTaken ? keyMap() : null;
    return keys === null ? null : held.action(keys);
  }

  /** Asks the stage for something, and shows what comes. */
  async function ask(request: (on: Stage) => Promise<StageFrame>): Promise<void> {
    const own = generation;
    isWaiting = true;
    try {
      const next = await request(stage);
      if (own !== generation) return;
      frame = next;
      if (next.isOver) lastReturn = next.return;
      view.showFrame(next, lastReturn);
      if (!next.isOver) return;
      const rate = usualRate(stage.info.name) * speed;
      heldUntil = performance.now() + (1000 * holdOf(next.steps / rate)) / Math.max(1, speed);
      player.onEpisode?.({ steps: next.steps, return: next.return, number: next.number });
    } catch (error) {
      if (own !== generation) return;
      player.pause();
      if (player.onError === undefined) throw error;
      player.onError(error);
    } finally {
      if (own === generation) isWaiting = false;
    }
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

  view.root.addEventListener("keydown", (event) => {
    if (event.target !== view.root) return;
    const keys = isTaken ? keyMap() : null;
    if (keys !== null && held.press(keys, event.key)) {
      if (keys.idle === "wait" && !event.repeat) owed = 1;
    } else if (event.key === "Escape") take(false);
    else if (event.key === " ") (isPlaying ? player.pause : player.play)();
    else if (event.key === ".") player.step();
    else return;
    event.preventDefault();
  });
  view.root.addEventListener("keyup", ({ key }) => held.release(key));
  view.root.addEventListener("blur", () => held.clear());

  const player: StagePlayer = {
    get seed() {
      return seed;
    },
    get episode() {
      return { steps: frame?.steps ?? 0, return: frame?.return ?? 0, number: frame?.number ?? 0 };
    },
    play: () => {
      isPlaying = true;
      showControls();
    },
    pause: () => {
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
      view.showSeed(seed);
      begin();
    },
    setSpeed(factor) {
      speed = factor;
      view.showSpeed(factor);
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
      view.root.remove();
    },
  };
  showControls();
  player.setSpeed(speed);
  player.reset(seed);
  requestAnimationFrame(tick);
  return player;
}
