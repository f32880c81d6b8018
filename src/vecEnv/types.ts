// Environments that are objects: one of them, as Gymnasium has it, and several side by side, over typed arrays.
import type { Space } from "../env/index.js";

export type MaybePromise<T> = T | Promise<T>;

/** Elements of observations or actions, row-major: float32, int32 or uint8, as the space says. */
export type HostArray = Float32Array | Int32Array | Uint8Array;

/** An observation as an environment may give it: elements in rows of rows, in one list, or one number alone. */
export type HostObs = number | HostArray | readonly HostObs[];

/** What an environment is given: a number for Discrete, else the elements in the space's order. */
export type HostAction = number | HostArray;

/** What an environment may tell beside its observation. */
export interface HostInfo {
  /** The parts that the reward is the sum of, by name; they are added up over an episode and logged. */
  readonly rewardComponents?: Readonly<Record<string, number>>;
  /** Figures to log, by name. */
  readonly log?: Readonly<Record<string, number>>;
  readonly [name: string]: unknown;
}

export type HostReset = readonly [obs: HostObs, info?: HostInfo];
export type HostStep = readonly [
  obs: HostObs,
  reward: number,
  terminated: boolean,
  truncated: boolean,
  info?: HostInfo,
];

/** A picture: SVG, as functional environments draw it, or RGB bytes, row by row. */
export type HostPicture =
  | string
  | { readonly width: number; readonly height: number; readonly data: Uint8Array };

/** A stateful environment: a game, a simulator. Methods may be asynchronous. */
export interface HostEnv {
  readonly observationSpace: Space;
  readonly actionSpace: Space;
  /** Starts an episode. With a seed, everything random from here on follows from it. */
  reset(seed?: number): MaybePromise<HostReset>;
  step(action: HostAction): MaybePromise<HostStep>;
  /** A picture of the current state. */
  render?(): MaybePromise<HostPicture>;
  /** Everything that the future depends on, as plain data (what JSON and structured clones carry). */
  getState?(): MaybePromise<unknown>;
  setState?(state: unknown): MaybePromise<void>;
  close?(): MaybePromise<void>;
}

/** What a vector of environments tells beside observations, rewards and ends; lists have an element for each one. */
export interface VecExtras {
  /** 1 where an episode was cut off, though it might have gone on. */
  readonly timeOuts: Uint8Array;
  /** The same by Gymnasium's name. */
  readonly truncated?: Uint8Array;
  /** 1 where an episode came to its own end. */
  readonly terminated?: Uint8Array;
  /** Observations (numEnvs, …) before the reset, to be read where an episode has ended. */
  readonly finalObservation?: HostArray;
  /** The parts of the rewards, by name. */
  readonly rewardComponents?: Readonly<Record<string, ArrayLike<number>>>;
  /** Figures to log, by name. */
  readonly log?: Readonly<Record<string, number>>;
}

export interface VecStep {
  /** Observations (numEnvs, …); where an episode has ended, the first one of the next. */
  readonly obs: HostArray;
  readonly rewards: Float32Array;
  /** 1 where an episode has ended, for whatever reason. */
  readonly dones: Uint8Array;
  readonly extras: VecExtras;
}

/** Environments side by side, which reset themselves. What a call gives is good until the next call. */
export interface VecEnv {
  readonly numEnvs: number;
  /** Of one environment. */
  readonly observationSpace: Space;
  readonly actionSpace: Space;
  /** Starts an episode in every environment; with a seed, environment i has the seed plus i. */
  reset(seed?: number): MaybePromise<HostArray>;
  /** Actions (numEnvs, …), int32 for Discrete, float32 for Box. */
  step(actions: HostArray): MaybePromise<VecStep>;
  /** A picture of one environment. */
  render?(index: number): MaybePromise<HostPicture>;
  /** The states of all environments; only where each has one to give. */
  getState?(): MaybePromise<unknown>;
  setState?(state: unknown): MaybePromise<void>;
  close(): MaybePromise<void>;
}
