// SAC's losses. Noise is an argument, so that they are pure functions that can be checked.
import type { NetworkParams, ReplayBatch, Scalar, Transition } from "../../agent/index.js";
import { lax, np, type Array } from "../../array/index.js";
import type { ActionBounds } from "./bounds.js";
import type { SACConfig } from "./config.js";
import { policyOf, twinValues, type PolicyConfig } from "./network.js";
import type { SACState, TwinParams } from "./types.js";

/** What a batch's actions should be worth: the reward, and what the policy gets from then on. */
export function sacTarget(
  state: Pick<SACState, "actorParams" | "targetCriticParams" | "logAlpha" | keyof ActionBounds>,
  batch: ReplayBatch,
  noise: Array,
  { config }: { readonly config: PolicyConfig & Pick<SACConfig, "gamma"> },
): Array {
  const [action, logProb] = policyOf(state.actorParams, batch.nextObs, state, config).fromNoise(noise);
  const [q1, q2] = twinValues(state.targetCriticParams, batch.nextObs, action);
  const goesOn = np.subtract(1, batch.done.astype("float32"));
  const following = np.minimum(q1, q2).sub(np.exp(state.logAlpha).mul(logProb));
  return batch.reward.add(goesOn.mul(following).mul(batch.discount ?? config.gamma));
}

/** The squared errors of both critics, and the mean of the lower one. */
export function sacCriticLoss(
  criticParams: TwinParams,
  batch: Transition,
  target: Array,
): [loss: Array, qMean: Array] {
  const [q1, q2] = twinValues(criticParams, batch.obs, batch.action);
  const wanted = lax.stopGradient(target);
  const loss = np
    .square(q1.sub(wanted))
    .mean()
    .add(np.square(q2.sub(wanted)).mean());
  return [loss, np.minimum(q1, q2).mean()];
}

/** What the policy's actions lack in value and entropy, and their log-probabilities. */
export function sacActorLoss(
  actorParams: NetworkParams,
  { criticParams, logAlpha, ...bounds }: Pick<SACState, "criticParams" | "logAlpha" | keyof ActionBounds>,
  obs: Array,
  noise: Array,
  { config }: { readonly config: PolicyConfig },
): [loss: Array, logProb: Array] {
  const [action, logProb] = policyOf(actorParams, obs, bounds, config).fromNoise(noise);
  const [q1, q2] = twinValues(criticParams, obs, action);
  return [np.exp(logAlpha).mul(logProb).sub(np.minimum(q1, q2)).mean(), logProb];
}

/** Falls as alpha grows while the entropy is below its target, and the other way round. */
export const sacAlphaLoss = (logAlpha: Array, logProb: Array, targetEntropy: Scalar): Array =>
  np.exp(logAlpha).mul(lax.stopGradient(logProb).add(targetEntropy)).mean().neg();
