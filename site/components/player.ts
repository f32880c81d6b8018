// A player of an environment in the page itself: the environment's compiled step, a policy or chance, and controls.
import type { Environment } from "vibe-rl/env";
import type { Policy } from "vibe-rl/policy";
import type { KeyMap } from "./keys.js";
import { localStage } from "./localStage.js";
import { createStagePlayer, type StagePlayer } from "./stagePlayer.js";

export interface PlayerOptions {
  readonly env: Environment;
  readonly params: unknown;
  /** Who acts; null is chance. */
  readonly policy: Policy | null;
  /** Where everything random comes from. Default 0. */
  readonly seed?: number;
  /** How many times the usual rate. Default 1. */
  readonly speed?: number;
  /** Keys that take over, where actions are choices. Default: arrows and digits. */
  readonly keys?: KeyMap;
  /** Whether it plays at once. Default true. */
  readonly isPlaying?: boolean;
}

export interface Player extends Omit<StagePlayer, "setStage"> {
  /** Who acts from the next step on; a policy for other observations or actions is refused. */
  setPolicy(policy: Policy | null): void;
}

/** Puts a player into an element. */
export function createPlayer(host: HTMLElement, { env, params, policy, ...rest }: PlayerOptions): Player {
  const stage = localStage(env, params);
  stage.setPolicy(policy);
  const player = createStagePlayer(host, { stage, ...rest });
  return Object.assign(player, { setPolicy: (next: Policy | null) => stage.setPolicy(next) });
}
