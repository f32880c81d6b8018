// DQN as a namespace of pure functions.
import {
  clippedAdam,
  discreteActions,
  includeObs,
  initObsStats,
  jitWithConfig,
  normalizeObs,
  partsAmong,
  progressAt,
  scheduled,
  type ReplayBatch,
} from "../../agent/index.js";
import { lax, np, random, valueAndGrad, type Array, type Shape } from "../../array/index.js";
import type { Space } from "../../env/index.js";
import { applyUpdates, incrementalUpdate, type Tree } from "../../nn/index.js";
import { DQNConfig } from "./config.js";
import { lossAndErrors } from "./loss.js";
import { initQ, qValues } from "./network.js";
import type { DQNMetrics, DQNNetworks, DQNState } from "./types.js";

interface Options {
  /** What the agent was made with, or what in it differs from the defaults. Default: the defaults. */
  readonly config?: Partial<DQNConfig>;
  /** The network that it was made with, if it is not DQN's own. */
  readonly networks?: DQNNetworks | undefined;
}

interface ActOptions extends Options {
  /** Whether to take a random action now and then (the default) or always the best. */
  readonly explore?: boolean;
}

const optimizerAt = (step: Array, config: DQNConfig) =>
  clippedAdam(
    scheduled("DQN.update", "lrSchedule", config.lr, config.lrSchedule, step, config),
    config.maxGradNorm,
  );

const networkNames = ["q"] as const;

interface InitOptions<P extends Tree> {
  /** A network in place of DQN's own, which `hiddenSizes` and `network` describe. */
  readonly networks: DQNNetworks<P>;
}

/** The state of a fresh agent. `actions` is a number of actions or a Discrete space. */
function init<P extends Tree>(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  config: Partial<DQNConfig> | undefined,
  options: InitOptions<P>,
): DQNState<P>;
function init(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  config: Partial<DQNConfig> | undefined,
  options: { readonly networks?: DQNNetworks | undefined },
): DQNState<Tree>;
function init(rng: Array, obsShape: Shape, actions: number | Space, config?: Partial<DQNConfig>): DQNState;
function init(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  given?: Partial<DQNConfig>,
  options: { readonly networks?: DQNNetworks | undefined } = {},
): DQNState<Tree> {
  const parts = { ...options, config: given };
  const { config, networks } = partsAmong("DQN.init", DQNConfig, parts, networkNames, ["numEnvs"]);
  const [paramsKey, stateKey] = random.split(rng);
  const params = initQ(paramsKey, obsShape, discreteActions("DQN.init", actions), config, networks);
  return {
    params,
    targetParams: params,
    optState: clippedAdam(config.lr, config.maxGradNorm).init(params),
    step: np.int32(0),
    rng: stateKey,
    ...initObsStats(obsShape, config),
  };
}

/** The chance of a random action after so many updates. */
export function epsilonAt(step: Array, config: DQNConfig): Array {
  const { epsilonStart, epsilonEnd, epsilonDecaySteps, explorationFraction } = config;
  const progress =
    explorationFraction === null
      ? step.astype("float32").div(epsilonDecaySteps)
      : progressAt("DQN", "explorationFraction", step, config).div(explorationFraction);
  return np.minimum(progress, 1).mul(np.subtract(epsilonEnd, epsilonStart)).add(epsilonStart);
}

/** Actions for a batch of observations, int32 (B,). */
function actBatch<P extends Tree>(
  state: DQNState<P>,
  obs: Array,
  options: ActOptions = {},
): [Array, DQNState<P>] {
  const { explore = true } = options;
  const { config, networks } = partsAmong("DQN.actBatch", DQNConfig, options, networkNames, ["explore"]);
  const [rng, chanceKey, actionKey] = random.split(state.rng, 3);
  const values = qValues(state.params, normalizeObs(state, obs, config), config, networks);
  const best = values.argmax(-1);
  if (!explore) return [best, { ...state, rng }];
  const [batch, actions] = values.shape;
  const isRandom = random.bernoulli(chanceKey, epsilonAt(state.step, config), [batch]);
  const action = np.where(isRandom, random.randint(actionKey, [batch], 0, actions), best);
  return [action, { ...state, rng }];
}

/** An action for one observation, an int32 scalar. */
function act<P extends Tree>(
  state: DQNState<P>,
  obs: Array,
  options: ActOptions = {},
): [action: Array, state: DQNState<P>] {
  const [action, next] = actBatch(state, obs.slice(null), options);
  return [action.slice(0), next];
}

/** The state that has seen a batch of new observations: its statistics take them in, if it keeps any. */
function observe<P extends Tree>(
  state: DQNState<P>,
  { obs }: { readonly obs: Array },
  options: Options = {},
): DQNState<P> {
  partsAmong("DQN.observe", DQNConfig, options, networkNames);
  return { ...state, ...includeObs(state, obs) };
}

const largest = 2 ** 31 - 1;

/** One update more. Beyond the largest number it goes back by a period, so that target updates go on in time. */
const nextStep = (step: Array, period: number): Array =>
  np.where(step.equal(largest), largest + 1 - period, step.add(1));

/** The target network after an update: every so many it moves towards the online one, or becomes it. */
function nextTarget<P extends Tree>(
  { params, targetParams, step }: Pick<DQNState<P>, "params" | "targetParams" | "step">,
  period: number,
  tau: number | Array,
): P {
  const moved = () => (tau === 1 ? params : incrementalUpdate(params, targetParams, tau));
  return period === 1 ? moved() : lax.cond(step.mod(period).equal(0), moved, () => targetParams);
}

/** One gradient step on a batch; every `targetUpdateFreq` updates the target network follows. */
function update<P extends Tree>(
  state: DQNState<P>,
  batch: ReplayBatch,
  options: Options = {},
): [DQNState<P>, DQNMetrics] {
  const [next, metrics] = updateWithErrors(state, batch, options);
  return [next, metrics];
}

/** The same, with the error of each transition, (B,), which prioritised replay asks for. */
function updateWithErrors<P extends Tree>(
  state: DQNState<P>,
  given: ReplayBatch,
  options: Options = {},
): [state: DQNState<P>, metrics: DQNMetrics, errors: Array] {
  const { config, networks } = partsAmong("DQN.update", DQNConfig, options, networkNames);
  const seen = (obs: Array) => normalizeObs(state, obs, config);
  const batch = { ...given, obs: seen(given.obs), nextObs: seen(given.nextObs) };
  const [[loss, { qMean, error }], gradients] = valueAndGrad(
    (params: P) => lossAndErrors(params, state.targetParams, batch, { config, networks }),
    { hasAux: true },
  )(state.params);
  const [steps, optState] = optimizerAt(state.step, config).update(gradients, state.optState);
  const params = applyUpdates(state.params, steps);
  const period = Math.min(config.targetUpdateFreq, largest);
  const step = nextStep(state.step, period);
  const targetParams = nextTarget({ params, targetParams: state.targetParams, step }, period, config.tau);
  return [
    { ...state, params, targetParams, optState, step },
    { loss, qMean, epsilon: epsilonAt(step, config) },
    error,
  ];
}

/** The value of each action at a batch of observations, (B, actions). */
const qValuesBatch = (state: DQNState<Tree>, obs: Array, options: Options = {}): Array => {
  const { config, networks } = partsAmong("DQN.qValues", DQNConfig, options, networkNames);
  return qValues(state.params, normalizeObs(state, obs, config), config, networks);
};

/** The value of each action at one observation, (actions,). */
const qValuesOf = (state: DQNState<Tree>, obs: Array, options: Options = {}): Array =>
  qValuesBatch(state, obs.slice(null), options).slice(0);

/**
 * Deep Q-learning. Called by themselves these functions are compiled, once for each config and shape; in a
 * function that is being traced they become part of it.
 */
export const DQN = {
  init,
  act: jitWithConfig(act, 2),
  actBatch: jitWithConfig(actBatch, 2),
  qValues: jitWithConfig(qValuesOf, 2),
  qValuesBatch: jitWithConfig(qValuesBatch, 2),
  observe: jitWithConfig(observe, 2),
  update: jitWithConfig(update, 2),
  updateWithErrors: jitWithConfig(updateWithErrors, 2),
} as const;
