// What a policy is to those who only want its actions.
import type { AlgorithmName } from "../algorithms/index.js";
import type { Array, Nested, Shape } from "../array/index.js";
import type { Space } from "../env/index.js";
import type { PolicyMetadata } from "./metadata.js";

/** The algorithms by the names that configs and the command line give them. */
export type Algorithm = AlgorithmName;

/** Where a policy comes from: one of the algorithms, or a network that was read from a file of another program. */
export type PolicyAlgorithm = Algorithm | "network";

/** One observation as plain data: a typed array, a list of numbers, or lists of them for more axes. */
export type PlainObs = ArrayLike<number> | readonly Nested[];

/** One of so many choices, or the components of a continuous action. */
export type Action = number | Float32Array;

/** A trained policy. Plain data in, plain data out; an `Array` in, an `Array` out, also in a function that is traced. */
export interface Policy<A extends Action = Action> {
  readonly algorithm: PolicyAlgorithm;
  /** Whether actions are numbers, one of `actionSize` choices, or `Float32Array`s of `actionSize` components. */
  readonly kind: A extends number ? "discrete" : "continuous";
  readonly actionSize: number;
  readonly obsShape: Shape;
  /** What actions are: one of so many, or a box, whose bounds are infinite where nobody has told them. */
  readonly space: Space;
  /** What it observes, as far as it was told: its shape and dtype are always right. */
  readonly observationSpace: Space;
  /** Where it comes from. */
  readonly metadata: PolicyMetadata;
  /** The step of training that it was saved at, as `metadata` has it; `null` if nobody knows. */
  readonly step: number | null;
  /** The action for one observation. */
  act(obs: Array): Array;
  act(obs: PlainObs): A;
  /** Actions for several: a list of observations, a typed array with one behind the other, or an `Array`. */
  actBatch(obs: Array): Array;
  actBatch(obs: readonly PlainObs[] | Float32Array): A[];
  /** How many frames an observation is made of: `act` takes one at a time where they are several. */
  readonly frameStack: number;
  /** Begins an episode: of a policy that stacks frames, the next one is its first. */
  reset(): void;
  /** The policy as the bytes of one safetensors file, which `loadPolicy` takes anywhere. */
  toSafetensors(): Uint8Array;
}

export interface PolicyOptions {
  /** Whether to explore as in training (sample, or try things out with DQN's present chance). Default false. */
  readonly explore?: boolean;
  /** What exploration begins with: the same seed and observations give the same actions. Default 0. */
  readonly seed?: number;
}
