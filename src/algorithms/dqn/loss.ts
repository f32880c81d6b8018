// DQN's loss: how far Q-values are from the reward and what the target network says follows.
import type { ReplayBatch } from "../../agent/index.js";
import { lax, np, type Array } from "../../array/index.js";
import type { DQNConfig } from "./config.js";
import type { Tree } from "../../nn/index.js";
import { pick, qValues } from "./network.js";
import type { DQNNetworks } from "./types.js";

/** The hyperparameters that the loss depends on. */
export type DQNLossConfig = Pick<DQNConfig, "gamma" | "double" | "dueling" | "loss">;

interface LossOptions {
  readonly config: DQNLossConfig;
  /** The networks that the parameters are of, if they are not DQN's own. */
  readonly networks?: DQNNetworks | undefined;
}

/** The loss of a batch, where `weight` says how much each error counts, and the mean Q-value of its actions. */
export function dqnLoss(
  params: Tree,
  targetParams: Tree,
  batch: ReplayBatch,
  { config, networks }: LossOptions,
): [loss: Array, qMean: Array] {
  const [loss, { qMean }] = lossAndErrors(params, targetParams, batch, { config, networks });
  return [loss, qMean];
}

/** The loss of a batch with the errors that it is made of, each (B,). */
export function lossAndErrors(
  params: Tree,
  targetParams: Tree,
  batch: ReplayBatch,
  { config, networks }: LossOptions,
): [loss: Array, measured: { readonly qMean: Array; readonly error: Array }] {
  const q = pick(qValues(params, batch.obs, config, networks), batch.action);
  const goesOn = np.subtract(1, batch.done.astype("float32"));
  const following = nextValues(params, targetParams, batch.nextObs, { config, networks });
  const target = batch.reward.add(goesOn.mul(following).mul(batch.discount ?? config.gamma));
  const error = q.sub(lax.stopGradient(target));
  const penalties = penalty[config.loss](error);
  const loss = batch.weight === undefined ? penalties : penalties.mul(batch.weight);
  return [loss.mean(), { qMean: q.mean(), error }];
}

/** What the next observations are worth. */
function nextValues(
  params: Tree,
  targetParams: Tree,
  nextObs: Array,
  { config, networks }: LossOptions,
): Array {
  const values = qValues(targetParams, nextObs, config, networks);
  // The largest of several noisy values is too large; double DQN has another network choose.
  return config.double ? pick(values, qValues(params, nextObs, config, networks).argmax(-1)) : values.max(-1);
}

const penalty = {
  mse: np.square,
  huber: (error: Array): Array => {
    const size = np.abs(error);
    return np.where(size.less(1), np.square(error).mul(0.5), size.sub(0.5));
  },
} as const;
