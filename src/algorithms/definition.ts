// What there is to say about an algorithm, in one object: all that the layers above ask for.
import type { ConfigBuilder, NetworkParams, ObsStats } from "../agent/index.js";
import type { Array, Shape } from "../array/index.js";
import type { Tree } from "../nn/index.js";

/** A run that is known to learn, as data: what differs from the defaults. */
export interface PresetData<C> {
  readonly envId: string;
  readonly description: string;
  readonly algo: Partial<C>;
  /** Fields of the runner's config. */
  readonly runner: Readonly<Record<string, number>>;
}

/** Writes presets of an algorithm. */
export const presetOf =
  <C>() =>
  (envId: string, description: string, algo: Partial<C>, runner: PresetData<C>["runner"]): PresetData<C> => ({
    envId,
    description,
    algo,
    runner,
  });

/** What actions are. */
export interface ActionKind {
  readonly kind: "discrete" | "continuous";
  /** The number of choices, or of components. */
  readonly size: number;
}

/** What an agent was made with: its config, and networks where they are not the algorithm's own. */
export interface Parts<C, N> {
  readonly config: C;
  readonly networks?: N | undefined;
}

/** Random numbers that sampled actions are made from: so many for each observation. */
export interface Noise {
  /** Standard normal numbers, or numbers from 0 to 1. */
  readonly kind: "normal" | "uniform";
  readonly size: number;
}

/** How an agent that was trained acts, for those who only want its actions. */
export interface Acting<S extends ObsStats, C, N extends object = object> {
  /** The part of the state that acting needs, besides statistics of observations and the random key. */
  readonly fields: readonly (keyof S & string)[];
  /** Whether its continuous actions go beyond the bounds of their space, so that somebody else must keep them there. */
  readonly isUnbounded: boolean;
  /** Actions for a batch of observations, and the key moved on. */
  actBatch(
    state: S,
    obs: Array,
    options: Parts<C, N> & { readonly explore: boolean },
  ): readonly [actions: Array, rng: Array];
  actionKind(state: S, obsShape: Shape, parts: Parts<C, N>): ActionKind;
  /** What it chooses actions by at a batch of observations, by the names that exported files have for it. */
  outputs(state: S, obs: Array, parts: Parts<C, N>): Readonly<Record<string, Array>>;
  /** The values of a batch of observations, (B,); there only where a critic sees observations alone. */
  value?(state: S, obs: Array, parts: Parts<C, N>): Array;
  /** The noise (B, size) that `sampled` takes. */
  noise(actions: ActionKind): Noise;
  /** Actions as `actBatch` explores, from noise instead of a key. */
  sampled(state: S, obs: Array, noise: Array, parts: Parts<C, N>): Array;
  /** The network that sees observations first, where it is the algorithm's own. */
  firstNetwork(state: S): NetworkParams;
  /** The names of the networks that can be given in place of its own. */
  readonly networkNames: readonly (keyof N & string)[];
  /** The parameters of those that see observations alone, by these names. */
  networkParams(state: S): { readonly [K in keyof N]?: Tree | undefined };
}

/** Everything about an algorithm but how it is run. `A` is what its actions can be. */
export interface AlgorithmDefinition<
  S extends ObsStats,
  C extends object,
  A extends ActionKind["kind"] = ActionKind["kind"],
  N extends object = object,
> {
  readonly config: ConfigBuilder<C>;
  /** What every field of the config means, for the command line's help. */
  readonly meanings: Readonly<Record<keyof C, string>>;
  readonly presets: Readonly<Record<string, PresetData<C>>>;
  readonly actions: readonly A[];
  readonly acting: Acting<S, C, N>;
}

/** Checks a definition's types. */
export const defineAlgorithm = <
  S extends ObsStats,
  C extends object,
  A extends ActionKind["kind"],
  N extends object,
>(
  definition: AlgorithmDefinition<S, C, A, N>,
): AlgorithmDefinition<S, C, A, N> => definition;
