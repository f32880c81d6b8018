// PPO's loss of one minibatch: the clipped surrogate, the value error, the entropy bonus.
import { np, type Array } from "../../array/index.js";
import type { PPOConfig } from "./config.js";
import { policyAndValue } from "./network.js";
import type { AnyPPOParams, PPOBatch, PPOLossMetrics, PPONetworks } from "./types.js";

/** The hyperparameters that the loss depends on. */
export type PPOLossConfig = Pick<PPOConfig, "clipValueLoss" | "vfCoef" | "entCoef" | "normalizeAdvantage"> & {
  /** An array where it changes from update to update. */
  readonly clipEps: number | Array;
};

/** The loss of a minibatch, and its parts. */
export function ppoLoss(
  params: AnyPPOParams,
  batch: PPOBatch,
  { config, networks }: { readonly config: PPOLossConfig; readonly networks?: PPONetworks | undefined },
): [loss: Array, metrics: PPOLossMetrics] {
  const { clipEps, vfCoef, entCoef } = config;
  const [policy, values] = policyAndValue(params, batch.obs, networks);
  const logProb = policy.logProb(batch.action);
  const logRatio = logProb.sub(batch.logProb);
  const ratio = np.exp(logRatio);
  const advantage = config.normalizeAdvantage ? normalize(batch.advantage) : batch.advantage;
  const clipped = ratio.clip(np.subtract(1, clipEps), np.add(1, clipEps));
  const actorLoss = np.minimum(ratio.mul(advantage), clipped.mul(advantage)).mean().neg();
  const criticLoss = valueError(values, batch, config).mean().mul(0.5);
  const entropy = policy.entropy().mean();
  const totalLoss = actorLoss.add(criticLoss.mul(vfCoef)).sub(entropy.mul(entCoef));
  const approxKl = logRatio.mean().neg();
  const kl = ratio.sub(1).sub(logRatio).mean();
  const clipFraction = np.abs(ratio.sub(1)).greater(clipEps).astype("float32").mean();
  return [totalLoss, { totalLoss, actorLoss, criticLoss, entropy, approxKl, kl, clipFraction }];
}

const normalize = (x: Array): Array => x.sub(x.mean()).div(x.std().add(1e-8));

/** The squared error; clipped, it is the larger of that and the one of a value kept near its old one. */
function valueError(values: Array, { value, returns }: PPOBatch, config: PPOLossConfig): Array {
  const error = np.square(values.sub(returns));
  if (!config.clipValueLoss) return error;
  const kept = value.add(values.sub(value).clip(np.negative(config.clipEps), config.clipEps));
  return np.maximum(error, np.square(kept.sub(returns)));
}
