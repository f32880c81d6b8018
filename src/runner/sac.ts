// SAC's runner.
import { checkOptions } from "../array/index.js";
import { plainConfig } from "../agent/index.js";
import { SAC, SACConfig, type SACNetworks, type SACState } from "../algorithms/index.js";
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

export interface TrainSACOptions<A extends object = SACState> extends OffPolicyOptions<A> {
  /** SAC's settings, or what in them differs from the defaults. */
  readonly sacConfig?: Partial<SACConfig> | undefined;
  /** Networks in place of SAC's own. */
  readonly networks?: SACNetworks | undefined;
  /** The number of an action's components, if not the environment's. */
  readonly actionDim?: number | null;
}

export type SACTrainResult<A extends object = SACState> = TrainResult<A>;

/** Trains SAC. The environment may reset itself (`AutoResetWrapper`) or not; then it is made to. */
export function trainSAC<E extends Environment, A extends Tree, C extends Tree>(
  env: E,
  envParams: ParamsOf<E>,
  options: TrainSACOptions<SACState<A, C>> & { readonly networks: SACNetworks<A, C> },
): Promise<SACTrainResult<SACState<A, C>>>;
export function trainSAC<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  options?: TrainSACOptions,
): Promise<SACTrainResult>;
export async function trainSAC<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  options: TrainSACOptions = {},
): Promise<SACTrainResult> {
  checkOptions("trainSAC", options, ["sacConfig", "actionDim", ...offPolicyOptionNames]);
  const { sacConfig: _, networks: __, actionDim: ___, runnerConfig, obsShape: ____, ...listeners } = options;
  return trained(sacFamily(env, envParams, options)(), runnerConfig, listeners);
}

/** A SAC run for the host to drive. */
export const sacTrainer = <S, P>(
  env: Environment<S, P>,
  params: P,
  config?: Partial<SACConfig>,
  runner?: Partial<RunnerConfig>,
) => sacFamily(env, params, { sacConfig: config, runnerConfig: runner })();

/** SAC runs that share their programs. */
export const sacFamily = <S, P>(env: Environment<S, P>, params: P, options: TrainSACOptions) =>
  offPolicyFamily(env, params, sacAlgorithm(options), options);

const agent = {
  ...SAC,
  paramsOf: ({ actorParams, criticParams, logAlpha }: SACState) => ({ actorParams, criticParams, logAlpha }),
} as unknown as RunnableAgent<SACState>;

const sacAlgorithm = ({ sacConfig, networks, actionDim }: TrainSACOptions) =>
  replayAlgorithm("SAC", agent, {
    ...{ kinds: ["Box"], networks },
    config: plainConfig("trainSAC", "sacConfig", SACConfig, sacConfig),
    actionCount: { name: "actionDim", value: actionDim },
  });
