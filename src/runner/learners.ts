// Agents as the compiled loops see them: with their settings and networks, acting in all environments at once.
import { Array, fail, np, random, vmap, type Shape } from "../array/index.js";
import type { ReplayBatch, Seen } from "../agent/index.js";
import type { Space } from "../env/index.js";
import type { Rhythm } from "./cadence.js";
import type { ReplayConfig } from "./replay.js";

/** What the functions of an agent take besides. */
export interface AgentOptions {
  readonly config: object;
  readonly networks?: object;
}

/** The protocol of agents as runners call it; `Agent` has the types that users see. */
export interface RunnableAgent<A> {
  init(rng: Array, obsShape: Shape, actions: Space, config: object, options: object): A;
  act(state: A, obs: Array, options: object): readonly [action: Array, state: A];
  update(state: A, batch: unknown, options: AgentOptions): readonly [state: A, metrics: object];
  actBatch?(state: A, obs: Array, options: object): readonly [actions: Array, state: A];
  observe?(state: A, seen: Seen, options: AgentOptions): A;
  /** One update with the error of each transition, which prioritised replay asks for. */
  updateWithErrors?(
    state: A,
    batch: unknown,
    options: AgentOptions,
  ): readonly [state: A, metrics: object, errors: Array];
  paramsOf?(state: A): object;
}

/** An agent as every loop sees it. */
export interface Learner<A> {
  readonly init: (key: Array, obsShape: Shape, actions: Space, numEnvs: number) => A;
  /** Actions for a batch of observations. */
  readonly act: (state: A, obs: Array, explore: boolean) => readonly [actions: Array, state: A];
  readonly paramsOf: (state: A) => object;
}

/** What the runner reads of the config of an agent that learns from replay. */
export interface LearnerConfig extends ReplayConfig, Rhythm {
  readonly hiddenSizes?: readonly number[];
}

/** An agent that learns from replay. */
export interface ReplayLearner<A> extends Learner<A> {
  readonly config: LearnerConfig;
  /** Takes what happened in a step of all environments into the agent's statistics. */
  readonly observe: (state: A, seen: Seen) => A;
  /** One update; where replay is prioritised, with the errors. */
  readonly update: (state: A, batch: ReplayBatch) => readonly [state: A, metrics: object, errors?: Array];
  /** How many updates were made. */
  readonly stepOf: (state: A) => Array;
}

/** An algorithm as a run is asked for; `L` is what its loop asks of it. */
export interface Algorithm<C, L> {
  /** As in `train…`, for messages. */
  readonly title: string;
  /** As in checkpoints. */
  readonly name: string;
  readonly config: C;
  /** The kinds of actions that it takes. */
  readonly kinds: readonly Space["kind"][];
  /** What the user said about the number of actions, and how it is called. */
  readonly actionCount: { readonly name: string; readonly value: number | null | undefined };
  /** Networks of the user's own. */
  readonly networks: object | undefined;
  /** The agent with the config of a run, which knows how many updates there will be. */
  readonly learner: (config: C, networks: object | undefined) => L;
}

/** The options of an agent's functions. */
export const optionsOf = (config: object, networks: object | undefined): AgentOptions => ({
  config,
  ...(networks === undefined ? {} : { networks }),
});

/** What every loop asks of an agent. */
export function learnerOf<A extends object>(
  operation: string,
  agent: RunnableAgent<A>,
  options: AgentOptions,
): Learner<A> {
  const { config, ...others } = options;
  return {
    init: (key, obsShape, actions, numEnvs) =>
      agent.init(key, obsShape, actions, config, { numEnvs, ...others }),
    act: (state, obs, explore) =>
      agent.actBatch === undefined
        ? actAlone(operation, agent, state, obs, { ...options, explore })
        : agent.actBatch(state, obs, { ...options, explore }),
    paramsOf: (state) => agent.paramsOf?.(state) ?? (state as { readonly params?: object }).params ?? state,
  };
}

/** An agent that acts on one observation, in several environments: each has a random key of its own. */
function actAlone<A extends object>(
  operation: string,
  agent: RunnableAgent<A>,
  state: A,
  obs: Array,
  options: object,
): readonly [actions: Array, state: A] {
  const { rng } = state as { readonly rng?: unknown };
  if (!(rng instanceof Array)) {
    fail(
      operation,
      "agent.act takes one observation; to act in all environments the agent needs actBatch, or a random key in " +
        "state.rng that can be split for them",
    );
  }
  const keys = random.split(rng, obs.shape[0] + 1);
  const actions = vmap((key: Array, one: Array) => agent.act({ ...state, rng: key }, one, options)[0])(
    keys.slice("1:"),
    obs,
  );
  return [actions, { ...state, rng: keys.slice(0) }];
}

/** An agent that learns from replay. `config` is what the loop reads. */
export function replayLearnerOf<A extends object>(
  operation: string,
  agent: RunnableAgent<A>,
  config: LearnerConfig,
  options: AgentOptions,
): ReplayLearner<A> {
  if (config.prioritized === true && agent.updateWithErrors === undefined) {
    fail(
      operation,
      "config.prioritized asks for the error of each transition: the agent needs updateWithErrors",
    );
  }
  return {
    ...learnerOf(operation, agent, options),
    config,
    observe: (state, seen) => agent.observe?.(state, seen, options) ?? state,
    update: (state, batch) =>
      config.prioritized === true && agent.updateWithErrors !== undefined
        ? agent.updateWithErrors(state, batch, options)
        : agent.update(state, batch, options),
    stepOf: (state) => (state as { readonly step?: Array }).step ?? np.int32(0),
  };
}

/** DQN or SAC as a run is asked for. */
export const replayAlgorithm = <A extends object, C extends LearnerConfig>(
  title: string,
  agent: RunnableAgent<A>,
  traits: Omit<Algorithm<C, unknown>, "title" | "name" | "learner">,
): Algorithm<C, ReplayLearner<A>> => ({
  ...traits,
  ...{ title, name: title },
  learner: (config, networks) => replayLearnerOf(`train${title}`, agent, config, optionsOf(config, networks)),
});
