// DQN and SAC as their runner sees them.
import type { Array, Shape } from "../array/index.js";
import { plainConfig, type ReplayBatch } from "../agent/index.js";
import { DQN, DQNConfig, SAC, SACConfig, type DQNState, type SACState } from "../algorithms/index.js";
import type { Space } from "../env/index.js";
import type { Rhythm } from "./cadence.js";
import type { ReplayConfig } from "./replay.js";

/** What the runner reads of an algorithm's config. */
export interface LearnerConfig extends ReplayConfig, Rhythm {
  readonly hiddenSizes: readonly number[];
}

/** An algorithm as a run is asked for. */
export interface Algorithm<A, C extends LearnerConfig> {
  readonly name: string;
  readonly config: C;
  /** The kind of actions that it takes. */
  readonly kind: Space["kind"];
  /** What the user said about the number of actions, and how it is called. */
  readonly actionCount: { readonly name: string; readonly value: number | null | undefined };
  /** The algorithm with the config of a run, which knows how many updates there will be. */
  readonly learner: (config: C) => Learner<A>;
}

/** What the runner asks of an algorithm. */
export interface Learner<A> {
  readonly config: LearnerConfig;
  readonly init: (key: Array, obsShape: Shape, actions: Space, numEnvs: number) => A;
  readonly act: (state: A, obs: Array, explore: boolean) => [actions: Array, state: A];
  /** Takes what happened in a step of all environments into the agent's statistics. */
  readonly observe: (state: A, seen: { obs: Array; reward: Array; ended: Array }) => A;
  /** One update; where replay is prioritised, with the errors. */
  readonly update: (state: A, batch: ReplayBatch) => readonly [state: A, metrics: object, errors?: Array];
  /** How many updates were made. */
  readonly stepOf: (state: A) => Array;
  readonly paramsOf: (state: A) => object;
}

/** DQN as a run is asked for. */
export const dqnAlgorithm = (
  given: Partial<DQNConfig> | undefined,
  nActions?: number | null,
): Algorithm<DQNState, DQNConfig> => ({
  ...{ name: "DQN", kind: "Discrete" },
  config: plainConfig("trainDQN", "dqnConfig", DQNConfig, given),
  actionCount: { name: "nActions", value: nActions },
  learner: (config) => ({
    config,
    init: (key, obsShape, actions) => DQN.init(key, obsShape, actions, config),
    act: (state, obs, explore) => DQN.actBatch(state, obs, { config, explore }),
    observe: DQN.observe,
    update: (state, batch) =>
      config.prioritized
        ? DQN.updateWithErrors(state, batch, { config })
        : DQN.update(state, batch, { config }),
    stepOf: ({ step }) => step,
    paramsOf: ({ params }) => params,
  }),
});

/** SAC as a run is asked for. */
export const sacAlgorithm = (
  given: Partial<SACConfig> | undefined,
  actionDim?: number | null,
): Algorithm<SACState, SACConfig> => ({
  ...{ name: "SAC", kind: "Box" },
  config: plainConfig("trainSAC", "sacConfig", SACConfig, given),
  actionCount: { name: "actionDim", value: actionDim },
  learner: (config) => ({
    config,
    init: (key, obsShape, space, numEnvs) => SAC.init(key, obsShape, space, config, { numEnvs }),
    act: (state, obs, explore) => SAC.actBatch(state, obs, { config, explore }),
    observe: (state, seen) => SAC.observe(state, seen, { config }),
    update: (state, batch) => SAC.update(state, batch, { config }),
    stepOf: ({ step }) => step,
    paramsOf: ({ actorParams, criticParams, logAlpha }) => ({ actorParams, criticParams, logAlpha }),
  }),
});
