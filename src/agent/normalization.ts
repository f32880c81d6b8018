// Running statistics of what an agent has seen, and numbers brought to size by them. They are a part of the agent's
// state, shared by all environments: they change where the agent learns, and nowhere else.
import { fail, lax, np, type Array, type Shape } from "../array/index.js";
import type { Scalar } from "./config.js";

/** Mean and variance of what has come so far. */
export interface RunningStats {
  /** How much has come, float32: near 10^8 it stops growing, and the oldest is slowly forgotten. */
  readonly count: Array;
  readonly mean: Array;
  readonly variance: Array;
}

/** The statistics of nothing: mean 0, variance 1, so that numbers stay as they are. */
const init = (shape: Shape): RunningStats => ({
  count: np.float32(0),
  mean: np.zeros(shape),
  variance: np.ones(shape),
});

/** The statistics with more values, which may have any leading axes (Chan's update of Welford's method). */
function include({ count, mean, variance }: RunningStats, values: Array): RunningStats {
  const rows = values.astype("float32").reshape([-1, ...mean.shape]);
  const total = count.add(rows.shape[0]);
  const share = np.divide(rows.shape[0], total);
  const rest = np.subtract(1, share);
  const [rowMean, rowVariance] = [rows.mean(0), rows.var(0)];
  const distance = rowMean.sub(mean);
  return {
    count: total,
    mean: mean.add(distance.mul(share)),
    variance: variance.mul(rest).add(rowVariance.mul(share)).add(np.square(distance).mul(share).mul(rest)),
  };
}

/** Against division by 0. */
const epsilon = 1e-8;

export const RunningStats = { init, include } as const;

/** What the configs of algorithms say about observations. */
export interface ObsNormalization {
  readonly normalizeObs: boolean;
  readonly clipObs: Scalar;
}

/** What the configs of algorithms say about rewards. */
export interface RewardNormalization {
  readonly normalizeReward: boolean;
  readonly clipReward: Scalar;
  readonly gamma: Scalar;
}

/** The part of an agent's state that knows observations; there only if they are normalised. */
export interface ObsStats {
  readonly obsStats?: RunningStats;
}

/** The part of an agent's state that knows rewards; there only if they are normalised. */
export interface RewardStats {
  readonly rewardStats?: {
    /** Of discounted returns. */
    readonly stats: RunningStats;
    /** The discounted return of every environment so far, since its episode began. */
    readonly returns: Array;
  };
}

/** The statistics that a fresh agent starts with. */
export const initObsStats = (obsShape: Shape, { normalizeObs }: ObsNormalization): ObsStats =>
  normalizeObs ? { obsStats: init(obsShape) } : {};

export const initRewardStats = (numEnvs: number, { normalizeReward }: RewardNormalization): RewardStats =>
  normalizeReward ? { rewardStats: { stats: init([]), returns: np.zeros([numEnvs]) } } : {};

/** The statistics with observations that were acted on, with any leading axes. */
export const includeObs = ({ obsStats }: ObsStats, obs: Array): ObsStats =>
  obsStats === undefined ? {} : { obsStats: include(obsStats, obs) };

/** The statistics with the rewards of so many steps of all environments, (T, N), and where their episodes ended. */
export function includeRewards(
  { rewardStats }: RewardStats,
  rewards: Array,
  ended: Array,
  { gamma }: RewardNormalization,
): RewardStats {
  if (rewardStats === undefined) return {};
  const [returns, all] = lax.scan(
    (before: Array, { reward, isLast }: { reward: Array; isLast: Array }) => {
      const now = before.mul(gamma).add(reward);
      return [np.where(isLast, 0, now), now];
    },
    rewardStats.returns,
    { reward: rewards.astype("float32"), isLast: ended },
  );
  return { rewardStats: { stats: include(rewardStats.stats, all), returns } };
}

/** Observations as networks see them: less their mean, in standard deviations, within ±clipObs. */
export function normalizeObs({ obsStats }: ObsStats, obs: Array, { clipObs }: ObsNormalization): Array {
  if (obsStats === undefined) return obs;
  if (obs.dtype === "uint8") {
    fail("normalizeObs", "images of uint8 are scaled to 0 … 1 already; set normalizeObs to false");
  }
  const { mean, variance } = obsStats;
  return obs
    .astype("float32")
    .sub(mean)
    .div(np.sqrt(variance.add(epsilon)))
    .clip(np.negative(clipObs), clipObs);
}

/** Rewards in standard deviations of discounted returns, within ±clipReward; their mean stays, for it counts. */
export function normalizeReward(
  { rewardStats }: RewardStats,
  reward: Array,
  { clipReward }: RewardNormalization,
): Array {
  if (rewardStats === undefined) return reward;
  return reward
    .div(np.sqrt(rewardStats.stats.variance.add(epsilon)))
    .clip(np.negative(clipReward), clipReward);
}
