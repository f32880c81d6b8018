// What a policy is to those who only want its actions.
import type { AlgorithmName } from "../algorithms/index.js";
import type { Array, Nested, Shape } from "../array/index.js";

/** The algorithms by the names that configs and the command line give them. */
export type Algorithm = AlgorithmName;

/** One observation as plain data: a typed array, a list of numbers, or lists of them for more axes. */
export type PlainObs = ArrayLike<number> | readonly Nested[];

/** One of so many choices, or the components of a continuous action. */
export type Action = number | Float32Array;

/** A trained policy. Plain data in, plain data out; an `Array` in, an `Array` out, also in a function that is traced. */
export interface Policy<A extends Action = Action> {
  readonly algorithm: Algorithm;
  /** Whether actions are numbers, one of `actionSize` choices, or `Float32Array`s of `actionSize` components. */
  readonly kind: A extends number ? "discrete" : "continuous";
  readonly actionSize: number;
  readonly obsShape: Shape;
  /** The step of the checkpoint that it was loaded from; `null` for one of bytes. */
  readonly step: number | null;
  /** The action for one observation. */
  act(obs: Array): Array;
  act(obs: PlainObs): A;
  /** Actions for several: a list of observations, a typed array with one behind the other, or an `Array`. */
  actBatch(obs: Array): Array;
  actBatch(obs: readonly PlainObs[] | Float32Array): A[];
  /** The policy as the bytes of one safetensors file, which `loadPolicy` takes anywhere. */
  toSafetensors(): Uint8Array;
}

export interface PolicyOptions {
  /** Whether to explore as in training (sample, or try things out with DQN's present chance). Default false. */
  readonly explore?: boolean;
  /** What exploration begins with: the same seed and observations give the same actions. Default 0. */
  readonly seed?: number;
}
