// What an environment is: pure functions from keys, states and actions to observations, states and rewards.
import type { Array } from "../array/index.js";
import type { Space } from "./spaces.js";

/** Parameters of an environment: a plain tree of arrays. */
export type EnvParams = Readonly<Record<string, unknown>>;

/** The state of one environment: a plain tree of arrays. */
export type EnvState = Readonly<Record<string, unknown>>;

/** What a step tells besides its results; a tree of arrays with the same structure on every step. */
export interface Info {
  /** The episode came to its end: what follows is worth nothing. */
  readonly terminated: Array;
  /** The episode was cut off, by a time limit for instance: what follows would be worth something. */
  readonly truncated: Array;
  readonly [name: string]: unknown;
}

/** What the steps of an environment that starts over by itself tell: the last observation before that. */
export interface ResetInfo extends Info {
  readonly terminalObs: Array;
}

/** What steps tell of the last episode that ended. */
export interface EpisodeInfo extends Info {
  readonly episodeReturn: Array;
  readonly episodeLength: Array;
}

/** A step's results: reward a float32 scalar, done a bool scalar (terminated or truncated). */
export type StepResult<S, I extends Info = Info> = readonly [
  obs: Array,
  state: S,
  reward: Array,
  done: Array,
  info: I,
];

/** One environment; `vmap` makes many of it. `S` and `P` are trees of arrays, `I` is what its steps tell besides. */
export interface Environment<S = unknown, P = unknown, I extends Info = Info> {
  readonly name: string;
  defaultParams(): P;
  /** The first observation and state of an episode. */
  reset(key: Array, params: P): readonly [obs: Array, state: S];
  step(key: Array, state: S, action: Array, params: P): StepResult<S, I>;
  observationSpace(params: P): Space;
  actionSpace(params: P): Space;
  /** A picture of a state, as SVG. */
  render?(state: S, params: P): string;
  /**
   * The start of the episode after `state`, for environments that keep something from one episode to the next,
   * such as running statistics. Without it, every episode starts with `reset`.
   */
  restart?(key: Array, state: S, params: P): readonly [obs: Array, state: S];
}

/** The state of an environment; of several kinds, their union. */
export type StateOf<E> = E extends Environment<infer S> ? S : never;

/** The parameters of an environment. */
export type ParamsOf<E> = E extends Environment<infer _S, infer P> ? P : never;

/** The start of the episode after `state`. */
export const restart = <S, P>(
  env: Environment<S, P>,
  key: Array,
  state: S,
  params: P,
): readonly [obs: Array, state: S] => env.restart?.(key, state, params) ?? env.reset(key, params);
