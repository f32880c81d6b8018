// PPO's update: advantages, then several epochs of minibatch gradient descent.
import { lax, fail, np, random, tree, valueAndGrad, type Array } from "../../array/index.js";
import {
  clippedAdam,
  includeObs,
  includeRewards,
  normalizeObs,
  normalizeReward,
  partsAmong,
  scheduled,
  type PPORollout,
  type PPOTransition,
} from "../../agent/index.js";
import { applyUpdates, safeIncrement } from "../../nn/index.js";
import { PPOConfig } from "./config.js";
import { computeGae } from "./gae.js";
import { ppoLoss } from "./loss.js";
import type { AnyPPOParams, PPOBatch, PPOLossMetrics, PPOMetrics, PPONetworks, PPOState } from "./types.js";

/** PPO's optimiser. */
export const optimizerOf = ({ maxGradNorm }: PPOConfig, lr: number | Array) => clippedAdam(lr, maxGradNorm);

/** What PPO's schedules say at an update. */
const settingsAt = (step: Array, config: PPOConfig) => ({
  lr: scheduled("PPO.update", "lrSchedule", config.lr, config.lrSchedule, step, config),
  clipEps: scheduled("PPO.update", "clipSchedule", config.clipEps, config.clipSchedule, step, config),
});

export interface UpdateOptions {
  /** What the agent was made with, or what in it differs from the defaults. Default: the defaults. */
  readonly config?: Partial<PPOConfig>;
  /** The networks that it was made with, if they are not PPO's own. */
  readonly networks?: PPONetworks | undefined;
  /** Where minibatches (nMinibatches, size, …) go before they are learned from: how several devices share them. */
  readonly place?: (minibatches: PPOBatch) => PPOBatch;
}

/** What one gradient step changes. */
type Learner<P extends AnyPPOParams = AnyPPOParams> = Pick<PPOState<P>, "params" | "optState">;

/**
 * One PPO update of a rollout with axes (T,) or (T, N); `lastValue` is the value after its last step. Statistics of
 * rewards take the rollout in before, those of observations after: the policy that learns is the one that acted.
 */
export function update<P extends AnyPPOParams>(
  state: PPOState<P>,
  trajectories: PPOTransition | PPORollout,
  lastValue: Array,
  options: UpdateOptions = {},
): [state: PPOState<P>, metrics: PPOMetrics] {
  const { config, networks } = partsAmong("PPO.update", PPOConfig, options, ["actor", "critic"], ["place"]);
  const rewardStats = includeRewards(state, ...columns(trajectories, config), config);
  const { batch, size } = flatten({ ...state, ...rewardStats }, trajectories, lastValue, config);
  const minibatches = shuffler(batch, size, config.nMinibatches, options.place ?? ((all) => all));
  const learn = learningStep<P>(config, settingsAt(state.step, config), networks);
  const epoch = ({ rng, learner, stopped }: Epoch<P>, _: null): readonly [Epoch<P>, Measured] => {
    const [nextRng, key] = random.split(rng);
    const [next, measured] = lax.scan(learn, { learner, stopped }, minibatches(key));
    return [{ rng: nextRng, ...next }, measured];
  };
  const { params, optState } = state;
  const start: Epoch<P> = { rng: state.rng, learner: { params, optState }, stopped: np.array(false) };
  const [{ rng, learner }, measured] = lax.scan(epoch, start, null, { length: config.nEpochs });
  const explainedVariance = explained(batch.value, batch.returns);
  return [
    {
      ...learner,
      step: safeIncrement(state.step),
      rng,
      ...includeObs(state, trajectories.obs),
      ...rewardStats,
    },
    { ...averages(measured), explainedVariance },
  ];
}

interface Epoch<P extends AnyPPOParams> {
  readonly rng: Array;
  readonly learner: Learner<P>;
  /** Whether the policy has moved far enough for this update. */
  readonly stopped: Array;
}

interface Measured {
  readonly metrics: PPOLossMetrics;
  /** 1 if the minibatch was looked at, 0 if the update had stopped. */
  readonly weight: Array;
}

/** Rewards and ends of episodes, (T, N). */
function columns({ reward, done }: PPOTransition, { normalizeReward: isNormalized, numEnvs }: PPOConfig) {
  if (isNormalized && reward.size !== reward.shape[0] * numEnvs) {
    fail(
      "PPO.update",
      `normalizeReward follows ${numEnvs} environments (numEnvs), the rollout [${reward.shape.join()}] has ` +
        `${reward.size / reward.shape[0]}`,
    );
  }
  return [reward, done].map((x) => x.reshape([x.shape[0], -1])) as [Array, Array];
}

/** Advantages and returns, with all leading axes joined into one. */
function flatten(
  state: PPOState<AnyPPOParams>,
  trajectories: PPOTransition | PPORollout,
  lastValue: Array,
  config: PPOConfig,
): { batch: PPOBatch; size: number } {
  const { gamma, gaeLambda, nMinibatches } = config;
  const { action, logProb, value, done } = trajectories;
  const obs = normalizeObs(state, trajectories.obs, config);
  const reward = normalizeReward(state, trajectories.reward, config);
  // An episode that was cut off would have gone on to collect the value of its last observation.
  const rewards = "bootstrap" in trajectories ? reward.add(trajectories.bootstrap.mul(gamma)) : reward;
  const [advantage, returns] = computeGae(rewards, value, done, lastValue, gamma, gaeLambda);
  const { size, ndim } = reward;
  if (size % nMinibatches !== 0) {
    fail(
      "PPO.update",
      `nMinibatches is ${nMinibatches}, which does not divide the ${size} steps of the rollout ` +
        `[${reward.shape.join()}]`,
    );
  }
  const all = { obs, action, logProb, value, advantage, returns };
  return { batch: tree.map((x) => x.reshape([size, ...x.shape.slice(ndim)]), all), size };
}

/** Cuts a batch into minibatches, in an order that the key decides. */
const shuffler =
  (batch: PPOBatch, size: number, count: number, place: (minibatches: PPOBatch) => PPOBatch) =>
  (key: Array): PPOBatch => {
    const order = random.permutation(key, size).reshape([count, size / count]);
    return place(tree.map((x) => np.take(x, order, 0), batch));
  };

interface Descent<P extends AnyPPOParams> {
  readonly learner: Learner<P>;
  readonly stopped: Array;
}

/** One gradient step on a minibatch, as the body of a scan. */
function learningStep<P extends AnyPPOParams>(
  config: PPOConfig,
  { lr, clipEps }: ReturnType<typeof settingsAt>,
  networks: PPONetworks | undefined,
): (descent: Descent<P>, batch: PPOBatch) => readonly [Descent<P>, Measured] {
  const optimizer = optimizerOf(config, lr);
  const descend = ({ params, optState }: Learner<P>, gradients: P): Learner<P> => {
    const [steps, next] = optimizer.update(gradients, optState);
    return { params: applyUpdates(params, steps), optState: next };
  };
  const gradientOf = (params: P, batch: PPOBatch) =>
    valueAndGrad((p: P) => ppoLoss(p, batch, { config: { ...config, clipEps }, networks }), { hasAux: true })(
      params,
    );
  const { targetKl } = config;
  if (targetKl === null) {
    return ({ learner, stopped }, batch) => {
      const [[, metrics], gradients] = gradientOf(learner.params, batch);
      return [
        { learner: descend(learner, gradients), stopped },
        { metrics, weight: np.float32(1) },
      ];
    };
  }
  return ({ learner, stopped }, batch) => {
    const [[, metrics], gradients] = gradientOf(learner.params, batch);
    const stops = stopped.or(metrics.kl.greater(targetKl));
    const next = lax.cond(
      stops,
      () => learner,
      () => descend(learner, gradients),
    );
    return [
      { learner: next, stopped: stops },
      { metrics, weight: stopped.not().astype("float32") },
    ];
  };
}

/** The metrics averaged over the minibatches that were looked at. */
function averages({ metrics, weight }: Measured): PPOLossMetrics {
  const total = weight.sum();
  return tree.map((x) => x.mul(weight).sum().div(total), metrics);
}

/** How much of the returns' variance the values explain. */
function explained(values: Array, returns: Array): Array {
  const variance = returns.var();
  return np.where(variance.greater(0), np.subtract(1, returns.sub(values).var().div(variance)), 0);
}
