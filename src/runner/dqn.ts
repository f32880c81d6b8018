// DQN's runner.
import { checkOptions } from "../array/index.js";
import { plainConfig } from "../agent/index.js";
import { DQN, DQNConfig, type DQNNetworks, type DQNState } from "../algorithms/index.js";
import type { Environment, ParamsOf } from "../env/index.js";
import type { Tree } from "../nn/index.js";
import type { RunnerConfig } from "./config.js";
import { replayAlgorithm, type RunnableAgent } from "./learners.js";
import {
  offPolicyFamily,
  offPolicyOptionNames,
  trained,
  type OffPolicyOptions,
  type TrainResult,
} from "./offPolicy.js";

export interface TrainDQNOptions<A extends object = DQNState> extends OffPolicyOptions<A> {
  /** DQN's settings, or what in them differs from the defaults. */
  readonly dqnConfig?: Partial<DQNConfig> | undefined;
  /** A network in place of DQN's own. */
  readonly networks?: DQNNetworks | undefined;
  /** The number of actions, if not the environment's. */
  readonly nActions?: number | null;
}

export type DQNTrainResult<A extends object = DQNState> = TrainResult<A>;

/** Trains DQN. The environment may reset itself (`AutoResetWrapper`) or not; then it is made to. */
export function trainDQN<E extends Environment, P extends Tree>(
  env: E,
  envParams: ParamsOf<E>,
  options: TrainDQNOptions<DQNState<P>> & { readonly networks: DQNNetworks<P> },
): Promise<DQNTrainResult<DQNState<P>>>;
export function trainDQN<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  options?: TrainDQNOptions,
): Promise<DQNTrainResult>;
export async function trainDQN<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  options: TrainDQNOptions = {},
): Promise<DQNTrainResult> {
  checkOptions("trainDQN", options, ["dqnConfig", "nActions", ...offPolicyOptionNames]);
  const { dqnConfig: _, networks: __, nActions: ___, runnerConfig, obsShape: ____, ...listeners } = options;
  return trained(dqnFamily(env, envParams, options)(), runnerConfig, listeners);
}

/** A DQN run for the host to drive. */
export const dqnTrainer = <S, P>(
  env: Environment<S, P>,
  params: P,
  config?: Partial<DQNConfig>,
  runner?: Partial<RunnerConfig>,
) => dqnFamily(env, params, { dqnConfig: config, runnerConfig: runner })();

/** DQN runs that share their programs. */
export const dqnFamily = <S, P>(env: Environment<S, P>, params: P, options: TrainDQNOptions) =>
  offPolicyFamily(env, params, dqnAlgorithm(options), options);

const dqnAlgorithm = ({ dqnConfig, networks, nActions }: TrainDQNOptions) =>
  replayAlgorithm("DQN", DQN as RunnableAgent<DQNState>, {
    ...{ kinds: ["Discrete"], networks },
    config: plainConfig("trainDQN", "dqnConfig", DQNConfig, dqnConfig),
    actionCount: { name: "nActions", value: nActions },
  });
