// SAC as a namespace of pure functions.
import {
  clippedAdam,
  continuousActions,
  includeObs,
  includeRewards,
  initObsStats,
  initRewardStats,
  jitWithConfig,
  normalizeObs,
  normalizeReward,
  partsAmong,
  scheduled,
  type ReplayBatch,
  type Seen,
} from "../../agent/index.js";
import { np, random, valueAndGrad, type Array, type Shape } from "../../array/index.js";
import type { Space } from "../../env/index.js";
import { applyUpdates, incrementalUpdate, safeIncrement, type Tree } from "../../nn/index.js";
import { boundsOf } from "./bounds.js";
import { SACConfig } from "./config.js";
import { sacActorLoss, sacAlphaLoss, sacCriticLoss, sacTarget } from "./loss.js";
import { initNetworks, policyOf, twinValues } from "./network.js";
import type { SACMetrics, SACNetworks, SACState, TwinParams } from "./types.js";

interface Options {
  /** What the agent was made with, or what in it differs from the defaults. Default: the defaults. */
  readonly config?: Partial<SACConfig>;
  /** The networks that it was made with, if they are not SAC's own. */
  readonly networks?: SACNetworks | undefined;
}

interface ActOptions extends Options {
  /** Whether to sample (the default) or to take the middle of the policy. */
  readonly explore?: boolean;
}

const optimizers = ({ actorLr, criticLr, alphaLr, maxGradNorm }: Rates) => ({
  actor: clippedAdam(actorLr, maxGradNorm),
  critic: clippedAdam(criticLr, maxGradNorm),
  alpha: clippedAdam(alphaLr, maxGradNorm),
});

interface Rates {
  readonly actorLr: number | Array;
  readonly criticLr: number | Array;
  readonly alphaLr: number | Array;
  readonly maxGradNorm: number | Array;
}

/** The learning rates at an update. */
function ratesAt(step: Array, config: SACConfig): Rates {
  const { actorLr, criticLr, alphaLr, maxGradNorm, lrSchedule } = config;
  const rate = (lr: number | Array) => scheduled("SAC.update", "lrSchedule", lr, lrSchedule, step, config);
  return { actorLr: rate(actorLr), criticLr: rate(criticLr), alphaLr: rate(alphaLr), maxGradNorm };
}

const networkNames = ["actor", "critic"] as const;

interface InitOptions {
  /** How many environments it will learn from at once, for normalizeReward follows each. Default 1. */
  readonly numEnvs?: number;
}

interface NetworkOptions<A extends Tree, C extends Tree> extends InitOptions {
  /** Networks in place of SAC's own, which `hiddenSizes` and `network` describe. */
  readonly networks: SACNetworks<A, C>;
}

/** The state of a fresh agent. `actions` is the number of an action's components, or a Box space. */
function init<A extends Tree, C extends Tree>(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  config: Partial<SACConfig> | undefined,
  options: NetworkOptions<A, C>,
): SACState<A, C>;
function init(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  config: Partial<SACConfig> | undefined,
  options: InitOptions & { readonly networks: SACNetworks | undefined },
): SACState<Tree, Tree>;
function init(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  config?: Partial<SACConfig>,
  options?: InitOptions,
): SACState;
function init(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  given?: Partial<SACConfig>,
  { numEnvs = 1, ...options }: InitOptions & { readonly networks?: SACNetworks | undefined } = {},
): SACState<Tree, Tree> {
  const parts = { ...options, config: given };
  const { config, networks } = partsAmong("SAC.init", SACConfig, parts, networkNames);
  const found = continuousActions("SAC.init", actions);
  const [actorKey, criticKey, stateKey] = random.split(rng, 3);
  const { actorParams, criticParams } = initNetworks(
    ...([[actorKey, criticKey], obsShape, found.size, config, networks] as const),
  );
  const logAlpha = np.log(np.array(config.initAlpha, { dtype: "float32" }));
  const { actor, critic, alpha } = optimizers(config);
  return {
    actorParams,
    criticParams,
    targetCriticParams: criticParams,
    actorOptState: actor.init(actorParams),
    criticOptState: critic.init(criticParams),
    logAlpha,
    alphaOptState: alpha.init(logAlpha),
    ...boundsOf(found, config),
    step: np.int32(0),
    rng: stateKey,
    ...initObsStats(obsShape, config),
    ...initRewardStats(numEnvs, config),
  };
}

/** Actions for a batch of observations, (B, actionDim). */
function actBatch<A extends Tree, C extends Tree>(
  state: SACState<A, C>,
  obs: Array,
  options: ActOptions = {},
): [Array, SACState<A, C>] {
  const { explore = true } = options;
  const { config, networks } = partsAmong("SAC.actBatch", SACConfig, options, networkNames, ["explore"]);
  const [rng, key] = random.split(state.rng);
  const policy = policyOf(state.actorParams, normalizeObs(state, obs, config), state, config, networks);
  return [explore ? policy.sample(key) : policy.mode(), { ...state, rng }];
}

/** An action for one observation, (actionDim,). */
function act<A extends Tree, C extends Tree>(
  state: SACState<A, C>,
  obs: Array,
  options: ActOptions = {},
): [action: Array, state: SACState<A, C>] {
  const [action, next] = actBatch(state, obs.slice(null), options);
  return [action.slice(0), next];
}

/** The state that has seen a step of all environments: its statistics take it in, if it keeps any. */
function observe<A extends Tree, C extends Tree>(
  state: SACState<A, C>,
  { obs, reward, ended }: Seen,
  options: Options = {},
): SACState<A, C> {
  const { config } = partsAmong("SAC.observe", SACConfig, options, networkNames);
  const rewardStats = includeRewards(state, reward.slice(null), ended.slice(null), config);
  return { ...state, ...includeObs(state, obs), ...rewardStats };
}

/** One gradient step each of the critics, the actor and the temperature; the target critics follow. */
function update<A extends Tree, C extends Tree>(
  state: SACState<A, C>,
  given: ReplayBatch,
  options: Options = {},
): [SACState<A, C>, SACMetrics] {
  const { config, networks } = partsAmong("SAC.update", SACConfig, options, networkNames);
  const seen = (obs: Array) => normalizeObs(state, obs, config);
  const batch = {
    ...given,
    obs: seen(given.obs),
    nextObs: seen(given.nextObs),
    reward: normalizeReward(state, given.reward, config),
  };
  const [rng, nextKey, nowKey] = random.split(state.rng, 3);
  const noiseShape = batch.action.shape;
  const { actor, critic, alpha } = optimizers(ratesAt(state.step, config));

  const target = sacTarget(state, batch, random.normal(nextKey, noiseShape), { config, networks });
  const [[criticLoss, qMean], criticGradients] = valueAndGrad(
    (params: TwinParams<C>) => sacCriticLoss(params, batch, target, { networks }),
    { hasAux: true },
  )(state.criticParams);
  const [criticSteps, criticOptState] = critic.update(criticGradients, state.criticOptState);
  const criticParams = applyUpdates(state.criticParams, criticSteps);
  const targetCriticParams = incrementalUpdate(criticParams, state.targetCriticParams, config.tau);

  const noise = random.normal(nowKey, noiseShape);
  const { logAlpha } = state;
  const [[actorLoss, logProb], actorGradients] = valueAndGrad(
    (params: A) =>
      sacActorLoss(params, { ...state, criticParams, logAlpha }, batch.obs, noise, { config, networks }),
    { hasAux: true },
  )(state.actorParams);
  const [actorSteps, actorOptState] = actor.update(actorGradients, state.actorOptState);
  const actorParams = applyUpdates(state.actorParams, actorSteps);

  const targetEntropy = np.multiply(config.targetEntropyScale, -noiseShape[1]);
  const [alphaLoss, alphaGradient] = valueAndGrad(sacAlphaLoss)(logAlpha, logProb, targetEntropy);
  const [alphaStep, alphaOptState] = alpha.update(alphaGradient, state.alphaOptState);
  const temperature = config.autotuneAlpha
    ? { logAlpha: applyUpdates(logAlpha, alphaStep), alphaOptState }
    : { logAlpha, alphaOptState: state.alphaOptState };

  return [
    {
      ...state,
      actorParams,
      criticParams,
      targetCriticParams,
      actorOptState,
      criticOptState,
      ...temperature,
      step: safeIncrement(state.step),
      rng,
    },
    {
      actorLoss,
      criticLoss,
      qMean,
      alphaLoss: config.autotuneAlpha ? alphaLoss : np.float32(0),
      alpha: np.exp(temperature.logAlpha),
      entropy: logProb.mean().neg(),
    },
  ];
}

/** What both critics say of a batch of observations with actions, each (B,). */
function qValuesBatch(
  state: SACState<Tree, Tree>,
  obs: Array,
  action: Array,
  options: Options = {},
): [q1: Array, q2: Array] {
  const { config, networks } = partsAmong("SAC.qValues", SACConfig, options, networkNames);
  return twinValues(state.criticParams, normalizeObs(state, obs, config), action, networks);
}

/** What both critics say of one observation with an action, scalars. */
function qValues(
  state: SACState<Tree, Tree>,
  obs: Array,
  action: Array,
  options: Options = {},
): [q1: Array, q2: Array] {
  const [q1, q2] = qValuesBatch(state, obs.slice(null), action.slice(null), options);
  return [q1.slice(0), q2.slice(0)];
}

/**
 * Soft actor-critic. Called by themselves these functions are compiled, once for each config and shape; in a
 * function that is being traced they become part of it.
 */
export const SAC = {
  init,
  act: jitWithConfig(act, 2),
  actBatch: jitWithConfig(actBatch, 2),
  qValues: jitWithConfig(qValues, 3),
  qValuesBatch: jitWithConfig(qValuesBatch, 3),
  observe: jitWithConfig(observe, 2),
  update: jitWithConfig(update, 2),
} as const;
