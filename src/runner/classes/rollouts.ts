// Rollouts as an on-policy runner asks for them, whatever the environments are.
import type { Array } from "../../array/index.js";
import type { PPORollout } from "../../agent/index.js";
import type { AnyPPOParams, PPOConfig, PPONetworks, PPOState } from "../../algorithms/index.js";
import type { MaybePromise } from "../../vecEnv/index.js";
import type { Stats } from "./callbacks.js";

/** What PPO's functions are told besides its state. */
export interface PPOBrain {
  readonly config: PPOConfig;
  readonly networks?: PPONetworks;
}

/** The state of PPO with any networks. */
export type PPOAgentState = PPOState<AnyPPOParams>;

/** What was played: the agent with its random key moved on, what happened, and the figures of that. */
export interface Played {
  readonly state: PPOAgentState;
  readonly rollout: PPORollout;
  /** The values after the last step, (N,). */
  readonly lastValue: Array;
  readonly stats: Stats;
}

/** Where environments are, as a tree that a checkpoint can hold. */
export interface Whereabouts {
  /** What the agent sees, (N, …). */
  readonly obs: Array;
  readonly [name: string]: unknown;
}

export interface EvalOptions {
  readonly numEpisodes: number;
  /** Episodes longer than this count as far as they went. */
  readonly maxSteps: number;
  /** Another one for every evaluation. */
  readonly round: number;
}

/** Returns and lengths of episodes. */
export interface EpisodeResults {
  readonly rewards: readonly number[];
  readonly lengths: readonly number[];
}

/** Plays environments for an agent. */
export interface Player<State, P> {
  /** Starts the environments, unless they have been. */
  readonly start: () => MaybePromise<void>;
  readonly play: (state: State) => MaybePromise<P>;
  /** Plays episodes greedily from fresh starts; training goes on afterwards from where it was, if that is possible. */
  readonly evaluate: (state: State, options: EvalOptions) => MaybePromise<EpisodeResults>;
  /** Where the environments are; null before they have been started. */
  readonly save: () => MaybePromise<Whereabouts | null>;
  /** Goes on from there; what could not be restored, in words, or null. */
  readonly load: (whereabouts: Readonly<Record<string, unknown>>) => MaybePromise<string | null>;
  readonly close: () => MaybePromise<void>;
}
