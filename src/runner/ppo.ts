// PPO's runner.
import { checkOptions, type Array, type Shape } from "../array/index.js";
import { completedConfig, overUpdates, plainConfig } from "../agent/index.js";
import {
  PPO,
  PPOConfig,
  type AnyPPOParams,
  type PPOBatch,
  type PPOMetrics,
  type PPONetworks,
  type PPOParams,
  type PPOState,
  type Rollout,
  type RolloutOptions,
  type SeparateParams,
} from "../algorithms/index.js";
import type { Environment, ParamsOf, StateOf } from "../env/index.js";
import type { Tree } from "../nn/index.js";
import { checkDevices, checkSeeds, runOptionNames, withEnvironments } from "./checks.js";
import { RunnerConfig } from "./config.js";
import type { Family } from "./family.js";
import { learnerOf, optionsOf, type Algorithm, type RunnableAgent } from "./learners.js";
import { run, type RunOptions } from "./loop.js";
import { onPolicyFamily, type RunState } from "./onPolicy.js";
import type { RolloutLearner } from "./rollouts.js";
import { splitBatch, type Spread } from "./spread.js";
import { warnOfCurve } from "./warn.js";

/** Where a PPO run has come to. The environments' states are those of `env`, one behind the other. */
export interface PPOTrainState<S = unknown, N extends AnyPPOParams = PPOParams> {
  readonly agentState: PPOState<N>;
  readonly envObs: Array;
  readonly envState: S;
  readonly rng: Array;
}

/** Every update's metrics, each of shape (nUpdates,), or (seeds, nUpdates) for a run over several seeds. */
export type PPOMetricsHistory = { readonly [K in keyof PPOMetrics]: Array };

export interface TrainPPOOptions<N extends AnyPPOParams = PPOParams> extends RunOptions<PPOState<N>> {
  /** PPO's settings, or what in them differs from the defaults. */
  readonly ppoConfig?: Partial<PPOConfig>;
  /** How the run goes, or what in it differs from the defaults. */
  readonly runnerConfig?: Partial<RunnerConfig>;
  /** Networks in place of PPO's own. */
  readonly networks?: PPONetworks | undefined;
  /** The shape of an observation, if not the environment's. */
  readonly obsShape?: Shape | null;
  /** The number of actions, if not the environment's. */
  readonly nActions?: number | null;
  /** Trains once for each seed, all in one program; results have the seeds as their first axis. */
  readonly seeds?: readonly number[] | null;
}

const ownOptions = ["ppoConfig", "runnerConfig", "networks", "obsShape", "nActions", "seeds"] as const;

type PPOTrainerOptions = Pick<TrainPPOOptions, (typeof ownOptions)[number]> & {
  /** The devices that share the work; null, the default, for one. */
  readonly spread?: Spread | null;
};

type Trained<E, N extends AnyPPOParams> = Promise<[PPOTrainState<StateOf<E>, N>, PPOMetricsHistory]>;

/** Trains PPO. The environment may reset itself (`AutoResetWrapper`) or not; then it is made to. */
export function trainPPO<E extends Environment, A extends Tree, C extends Tree>(
  env: E,
  envParams: ParamsOf<E>,
  options: TrainPPOOptions<SeparateParams<A, C>> & { readonly networks: PPONetworks<A, C> },
): Trained<E, SeparateParams<A, C>>;
export function trainPPO<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  options?: TrainPPOOptions,
): Trained<E, PPOParams>;
export async function trainPPO<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  given: object = {},
): Trained<E, AnyPPOParams> {
  const options = given as TrainPPOOptions;
  checkOptions("trainPPO", options, [...ownOptions, ...runOptionNames]);
  const {
    ppoConfig: _,
    runnerConfig,
    networks: __,
    obsShape: ___,
    nActions: ____,
    seeds,
    ...listeners
  } = options;
  const trainer = ppoTrainer(env as Environment<StateOf<E>, ParamsOf<E>>, envParams, options);
  const {
    state: { running: _____, ...state },
    history,
    curve,
  } = await run(trainer, runnerConfig, listeners);
  warnOfCurve(curve);
  // Results over several seeds have these as their first axis.
  const lists = Object.entries(history).map(([name, list]) => [
    name,
    (seeds ?? null) === null ? list : list.T,
  ]);
  return [state, Object.fromEntries(lists) as PPOMetricsHistory];
}

/** A PPO run for the host to drive. */
export const ppoTrainer = <S, P>(env: Environment<S, P>, envParams: P, options?: PPOTrainerOptions) =>
  ppoFamily(env, envParams, options)();

/** PPO runs that share their programs. */
export function ppoFamily<S, P>(
  env: Environment<S, P>,
  envParams: P,
  {
    ppoConfig,
    runnerConfig: givenRunner,
    networks,
    obsShape,
    nActions,
    seeds,
    spread = null,
  }: PPOTrainerOptions = {},
): Family<RunState<PPOState, S>> {
  const ownConfig = plainConfig("trainPPO", "ppoConfig", PPOConfig, ppoConfig);
  const runnerConfig = completedConfig("trainPPO", "runnerConfig", RunnerConfig, givenRunner);
  if (spread === null) checkDevices("trainPPO", runnerConfig);
  checkSeeds("trainPPO", seeds);
  const algorithm: Algorithm<PPOConfig, RolloutLearner<PPOState>> = {
    ...{ title: "PPO", name: "PPO", kinds: ["Discrete", "Box"], networks },
    learner: (own, parts) => ppoLearner(own, parts, spread),
    config: onDevices(withEnvironments(ownConfig, runnerConfig), spread),
    actionCount: { name: "nActions", value: nActions },
  };
  return onPolicyFamily(env, envParams, algorithm, {
    ...{ runnerConfig, obsShape, seeds: seeds ?? undefined, keepsHistory: true, over: overUpdates, spread },
  });
}

/** The config of a run whose environments are those of all devices. */
const onDevices = (config: PPOConfig, spread: Spread | null): PPOConfig =>
  spread === null ? config : PPOConfig({ ...config, numEnvs: config.numEnvs * spread.count });

/** What PPO's update takes. */
interface Experience {
  readonly rollout: Rollout<unknown>[1];
  readonly lastValue: Array;
}

/** PPO as an agent: what acting says besides the action is found again from the rollout. */
const agent: RunnableAgent<PPOState> = {
  init: (...args) => PPO.init(...args) as PPOState,
  act: (...args) => withoutValues(PPO.act(...args)),
  actBatch: (...args) => withoutValues(PPO.actBatch(...args)),
  update: (state, batch, options) => {
    const { rollout, lastValue } = batch as Experience;
    return PPO.update(state, rollout, lastValue, options as RolloutOptions);
  },
};

const withoutValues = ([action, , , state]: ReturnType<typeof PPO.act<PPOParams>>): [Array, PPOState] => [
  action,
  state,
];

/** PPO collects its rollouts itself: its critic sees all of one at once. */
function ppoLearner(
  config: PPOConfig,
  networks: object | undefined,
  spread: Spread | null,
): RolloutLearner<PPOState> {
  const options = optionsOf(config, networks);
  const place = spread !== null && {
    place: (batch: PPOBatch) => splitBatch("trainPPOMultiGPU", batch, 1, spread),
  };
  return {
    ...learnerOf("trainPPO", agent, options),
    collect: (env, params, agentState, { envObs, envState, rng }) => {
      const step: typeof env.step = (...args) => env.step(...args);
      const [played, rollout, obs, next, lastValue] = PPO.collectRolloutBatch(
        ...([agentState, envObs, envState, step, params, options as RolloutOptions] as const),
      );
      return {
        ...{ agentState: played, batch: { rollout, lastValue } satisfies Experience },
        ...{ playing: { envObs: obs, envState: next, rng }, reward: rollout.reward, done: rollout.done },
      };
    },
    update: (state, batch) => {
      const { rollout, lastValue } = batch as Experience;
      return PPO.update(state, rollout, lastValue, { ...(options as RolloutOptions), ...place });
    },
  };
}
