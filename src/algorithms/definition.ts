// What there is to say about an algorithm, in one object: all that the layers above ask for.
import type { ConfigBuilder, NetworkParams, ObsStats } from "../agent/index.js";
import type { Array, Shape } from "../array/index.js";

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

/** How an agent that was trained acts, for those who only want its actions. */
export interface Acting<S extends ObsStats, C> {
  /** The part of the state that acting needs, besides statistics of observations and the random key. */
  readonly fields: readonly (keyof S & string)[];
  /** Whether its continuous actions go beyond the bounds of their space, so that somebody else must keep them there. */
  readonly isUnbounded: boolean;
  /** Actions for a batch of observations, and the key moved on. */
  actBatch(
    state: S,
    obs: Array,
    options: { readonly config: C; readonly explore: boolean },
  ): readonly [actions: Array, rng: Array];
  actionKind(state: S, config: C, obsShape: Shape): ActionKind;
  /** The network that sees observations first. */
  firstNetwork(state: S): NetworkParams;
}

/** Everything about an algorithm but how it is run. `A` is what its actions can be. */
export interface AlgorithmDefinition<
  S extends ObsStats,
  C extends object,
  A extends ActionKind["kind"] = ActionKind["kind"],
> {
  readonly config: ConfigBuilder<C>;
  /** What every field of the config means, for the command line's help. */
  readonly meanings: Readonly<Record<keyof C, string>>;
  readonly presets: Readonly<Record<string, PresetData<C>>>;
  readonly actions: readonly A[];
  readonly acting: Acting<S, C>;
}

/** Checks a definition's types. */
export const defineAlgorithm = <S extends ObsStats, C extends object, A extends ActionKind["kind"]>(
  definition: AlgorithmDefinition<S, C, A>,
): AlgorithmDefinition<S, C, A> => definition;
