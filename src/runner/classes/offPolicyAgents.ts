// DQN and SAC agents as objects: a config, and a state that runners move on.
import { checkOptions, fail, nn, random, type Array } from "../../array/index.js";
import { overUpdates, plainConfig, type ReplayBatch } from "../../agent/index.js";
import {
  DQN,
  DQNConfig,
  SAC,
  SACConfig,
  type DQNNetworks,
  type DQNState,
  type SACNetworks,
  type SACState,
} from "../../algorithms/index.js";
import type { Tree } from "../../nn/index.js";
import type { Stats } from "./callbacks.js";
import {
  actsAsOwn,
  identityOf,
  networkOf,
  networkOptionNames,
  networksOf,
  type NetworkCfg,
  type NetworkClass,
  type NetworkOptions,
} from "./networks.js";
import { MLPCritic } from "./networkClasses.js";
import { checkSeed } from "./options.js";
import { purposeOf, worldOf, type Purpose, type World, type WorldOptions } from "./worlds.js";

/** What happened in a step of all environments, (N, …). */
interface Seen {
  readonly obs: Array;
  readonly reward: Array;
  readonly ended: Array;
}

/** The least that a state of such an agent has. */
export interface ReplayState {
  /** How many updates were made. */
  readonly step: Array;
  readonly rng: Array;
}

/** An algorithm that learns from replay, as its runner asks for it: functions of a state, which can be traced. */
export interface ReplayLearner<S> {
  readonly config: DQNConfig | SACConfig;
  readonly act: (state: S, obs: Array, explore: boolean) => readonly [actions: Array, state: S];
  readonly observe: (state: S, seen: Seen) => S;
  /** One update; where replay is prioritised, with the errors. */
  readonly update: (state: S, batch: ReplayBatch) => readonly [state: S, metrics: object, errors?: Array];
}

/** What a runner of agents that learn from replay holds. */
export interface ReplayAgent<S extends object> {
  readonly algorithm: string;
  readonly config: DQNConfig | SACConfig;
  readonly purpose: Purpose;
  /** What checkpoints tell of networks that only a program has; `null` where the algorithm's own act as they do. */
  readonly ownNetworks: Readonly<Record<string, string>> | null;
  state: S;
  /** The algorithm for a run of so many updates. */
  learner(updates: number): ReplayLearner<S>;
  /** The part of the state that acting needs. */
  actingOf(state: S): object;
  /** What must stay finite. */
  paramsOf(state: S): object;
  /** Figures by their tags. */
  stats(metrics: Readonly<Record<string, number>>): Stats;
}

interface CommonOptions<C> extends WorldOptions {
  /** The algorithm's settings, or what in them differs from the defaults. */
  readonly cfg?: Partial<C>;
  /** What the networks begin with. Default 0. */
  readonly seed?: number;
}

export interface DQNAgentOptions extends CommonOptions<DQNConfig> {
  /** The Q-network. Default: DQN's own. */
  readonly qClass?: NetworkClass;
  /** What its class is made with, such as `{ hiddenDims: [256] }`. */
  readonly qCfg?: NetworkCfg;
}

export interface SACAgentOptions extends CommonOptions<SACConfig>, NetworkOptions {}

const commonNames = ["env", "envParams", "numEnvs", "cfg", "seed"];
export const dqnOptionNames: readonly string[] = [...commonNames, "qClass", "qCfg"];
export const sacOptionNames: readonly string[] = [...commonNames, ...networkOptionNames];

function begin(operation: string, options: CommonOptions<object>, names: readonly string[], kind: string) {
  checkOptions(operation, options, names);
  const { seed = 0 } = options;
  checkSeed(operation, seed);
  const world: World = worldOf(operation, options);
  if (world.actions.kind !== kind) {
    fail(operation, `needs actions in ${kind}, the environments have ${String(world.actions)}`);
  }
  // As the functional runners do: the others are for the loop and the environments.
  const [, key] = random.split(random.key(seed), 3);
  return { world, key };
}

/** DQN for the environments that it is made for. */
export class DQNAgent implements ReplayAgent<DQNState<Tree>> {
  readonly algorithm = "DQN";
  readonly config: DQNConfig;
  readonly options: { readonly config: DQNConfig; readonly networks?: DQNNetworks };
  readonly purpose: Purpose;
  readonly ownNetworks: Readonly<Record<string, string>> | null;
  state: DQNState<Tree>;

  constructor(options: DQNAgentOptions) {
    const operation = "DQNAgent";
    const { world, key } = begin(operation, options, dqnOptionNames, "Discrete");
    const { qClass, qCfg } = options;
    this.config = plainConfig(operation, "cfg", DQNConfig, options.cfg);
    const hasOwn = qClass !== undefined || qCfg !== undefined;
    const networks = hasOwn ? { q: networkOf(operation, "q", qClass ?? MLPCritic, qCfg) } : undefined;
    this.options = { config: this.config, ...(networks !== undefined && { networks }) };
    this.purpose = purposeOf(world);
    const init = (own = networks) =>
      DQN.init(key, world.obsShape, world.actions, this.config, { networks: own });
    this.state = init();
    this.ownNetworks = identityOf(networks, init);
  }

  learner(updates: number): ReplayLearner<DQNState<Tree>> {
    const config = overUpdates(this.config, updates);
    const options = { ...this.options, config };
    return {
      config,
      act: (state, obs, explore) => DQN.actBatch(state, obs, { ...options, explore }),
      observe: DQN.observe,
      update: (state, batch) =>
        config.prioritized ? DQN.updateWithErrors(state, batch, options) : DQN.update(state, batch, options),
    };
  }

  actingOf({ params, step, obsStats }: DQNState<Tree>): object {
    return { params, step, ...(obsStats !== undefined && { obsStats }) };
  }

  paramsOf({ params }: DQNState<Tree>): object {
    return params;
  }

  stats({ loss, qMean, epsilon }: Readonly<Record<string, number>>): Stats {
    return { "train/q_loss": loss, "train/mean_q": qMean, "exploration/epsilon": epsilon };
  }
}

type SACAgentState = SACState<Tree, Tree>;

/** SAC for the environments that it is made for. */
export class SACAgent implements ReplayAgent<SACAgentState> {
  readonly algorithm = "SAC";
  readonly config: SACConfig;
  readonly options: { readonly config: SACConfig; readonly networks?: SACNetworks };
  readonly purpose: Purpose;
  readonly ownNetworks: Readonly<Record<string, string>> | null;
  state: SACAgentState;

  constructor(options: SACAgentOptions) {
    const operation = "SACAgent";
    const { world, key } = begin(operation, options, sacOptionNames, "Box");
    this.config = plainConfig(operation, "cfg", SACConfig, options.cfg);
    const networks = networksOf(operation, options);
    this.options = { config: this.config, ...(networks !== undefined && { networks }) };
    this.purpose = purposeOf(world);
    const { numEnvs } = world;
    const init = (own = networks) =>
      SAC.init(key, world.obsShape, world.actions, this.config, { numEnvs, networks: own });
    this.state = init();
    this.ownNetworks = actsAsOwn(networks?.actor, nn.relu) ? null : identityOf(networks, init);
  }

  learner(updates: number): ReplayLearner<SACAgentState> {
    const config = overUpdates(this.config, updates);
    const options = { ...this.options, config };
    return {
      config,
      act: (state, obs, explore) => SAC.actBatch(state, obs, { ...options, explore }),
      observe: (state, seen) => SAC.observe(state, seen, { config }),
      update: (state, batch) => SAC.update(state, batch, options),
    };
  }

  actingOf({ actorParams, actionLow, actionHigh, obsStats }: SACAgentState): object {
    return { actorParams, actionLow, actionHigh, ...(obsStats !== undefined && { obsStats }) };
  }

  paramsOf({ actorParams, criticParams, logAlpha }: SACAgentState): object {
    return { actorParams, criticParams, logAlpha };
  }

  stats(metrics: Readonly<Record<string, number>>): Stats {
    const { actorLoss, criticLoss, alpha, entropy, alphaLoss, qMean } = metrics;
    return {
      ...{ "train/actor_loss": actorLoss, "train/critic_loss": criticLoss },
      ...{ "train/alpha": alpha, "train/entropy": entropy },
      ...{ "train/alpha_loss": alphaLoss, "train/mean_q": qMean },
    };
  }
}
