// PPO on several devices: one logical copy of the agent, environments on all of them.
import { checkOptions } from "../array/index.js";
import { completedConfig } from "../agent/index.js";
import type { AnyPPOParams, PPOParams, PPONetworks, SeparateParams } from "../algorithms/index.js";
import type { Environment, ParamsOf, StateOf } from "../env/index.js";
import type { Tree } from "../nn/index.js";
import { runOptionNames } from "./checks.js";
import { RunnerConfig } from "./config.js";
import { run } from "./loop.js";
import { ppoTrainer, type PPOMetricsHistory, type PPOTrainState, type TrainPPOOptions } from "./ppo.js";
import { byDevice, spreadFor } from "./spread.js";
import { warnOfCurve } from "./warn.js";

/** What `trainPPO` takes, but for several seeds at once. */
export type TrainPPOMultiGPUOptions<N extends AnyPPOParams = PPOParams> = Omit<TrainPPOOptions<N>, "seeds">;

type Trained<E, N extends AnyPPOParams> = Promise<[PPOTrainState<StateOf<E>, N>, PPOMetricsHistory]>;

const ownOptions = ["ppoConfig", "runnerConfig", "networks", "obsShape", "nActions"] as const;

/**
 * Trains PPO on `numDevices` devices, all of them by default: each plays `numEnvs` environments, and every minibatch
 * is split over all. The result is that of one device with all environments. With `fsdpDevices` above 1 large
 * parameters are split, too. Environments in the state that it returns have an axis for devices in front.
 */
export function trainPPOMultiGPU<E extends Environment, A extends Tree, C extends Tree>(
  env: E,
  envParams: ParamsOf<E>,
  options: TrainPPOMultiGPUOptions<SeparateParams<A, C>> & { readonly networks: PPONetworks<A, C> },
): Trained<E, SeparateParams<A, C>>;
export function trainPPOMultiGPU<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  options?: TrainPPOMultiGPUOptions,
): Trained<E, PPOParams>;
export async function trainPPOMultiGPU<E extends Environment>(
  env: E,
  envParams: ParamsOf<E>,
  given: object = {},
): Trained<E, AnyPPOParams> {
  const operation = "trainPPOMultiGPU";
  const options = given as TrainPPOMultiGPUOptions;
  checkOptions(operation, options, [...ownOptions, ...runOptionNames]);
  const { ppoConfig, runnerConfig, networks, obsShape, nActions, ...listeners } = options;
  const config = completedConfig(operation, "runnerConfig", RunnerConfig, runnerConfig);
  const spread = spreadFor(operation, config);
  const trainer = ppoTrainer(env as Environment<StateOf<E>, ParamsOf<E>>, envParams, {
    ...(ppoConfig !== undefined && { ppoConfig }),
    // One device is what is left where there are no others.
    runnerConfig: spread === null ? { ...config, numDevices: 1, fsdpDevices: 1 } : config,
    ...{ networks, obsShape: obsShape ?? null, nActions: nActions ?? null, spread },
  });
  const { state, history, curve } = await run(trainer, config, listeners);
  warnOfCurve(curve);
  const { running: _, envObs, envState, ...rest } = state;
  const count = spread?.count ?? 1;
  return [
    { ...rest, ...byDevice({ envObs, envState }, count) },
    history as unknown as PPOMetricsHistory,
  ] as Awaited<Trained<E, AnyPPOParams>>;
}
