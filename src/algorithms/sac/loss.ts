// SAC's losses. Noise is an argument, so that they are pure functions that can be checked.
import type { ReplayBatch, Scalar, Transition } from "../../agent/index.js";
import { lax, np, type Array } from "../../array/index.js";
import type { ActionBounds } from "./bounds.js";
import type { SACConfig } from "./config.js";
import type { Tree } from "../../nn/index.js";
import { policyOf, twinValues, type PolicyConfig } from "./network.js";
import type { SACNetworks, SACState, TwinParams } from "./types.js";

interface OwnNetworks {
  /** The networks that the parameters are of, if they are not SAC's own. */
  readonly networks?: SACNetworks | undefined;
}

type AnyState = SACState<Tree, Tree>;

/** What a batch's actions should be worth: the reward, and what the policy gets from then on. */
export function sacTarget(
  state: Pick<AnyState, "actorParams" | "targetCriticParams" | "logAlpha" | keyof ActionBounds>,
  batch: ReplayBatch,
  noise: Array,
  { config, networks }: { readonly config: PolicyConfig & Pick<SACConfig, "gamma"> } & OwnNetworks,
): Array {
  const [action, logProb] = policyOf(state.actorParams, batch.nextObs, state, config, networks).fromNoise(
    noise,
  );
  const [q1, q2] = twinValues(state.targetCriticParams, batch.nextObs, action, networks);
  const goesOn = np.subtract(1, batch.done.astype("float32"));
  const following = np.minimum(q1, q2).sub(np.exp(state.logAlpha).mul(logProb));
  return batch.reward.add(goesOn.mul(following).mul(batch.discount ?? config.gamma));
}

/** The squared errors of both critics, and the mean of the lower one. */
export function sacCriticLoss(
  criticParams: TwinParams<Tree>,
  batch: Transition,
  target: Array,
  { networks }: OwnNetworks = {},
): [loss: Array, qMean: Array] {
  const [q1, q2] = twinValues(criticParams, batch.obs, batch.action, networks);
  const wanted = lax.stopGradient(target);
  const loss = np
    .square(q1.sub(wanted))
    .mean()
    .add(np.square(q2.sub(wanted)).mean());
  return [loss, np.minimum(q1, q2).mean()];
}

/** What the policy's actions lack in value and entropy, and their log-probabilities. */
export function sacActorLoss(
  actorParams: Tree,
  { criticParams, logAlpha, ...bounds }: Pick<AnyState, "criticParams" | "logAlpha" | keyof ActionBounds>,
  obs: Array,
  noise: Array,
  { config, networks }: { readonly config: PolicyConfig } & OwnNetworks,
): [loss: Array, logProb: Array] {
  const [action, logProb] = policyOf(actorParams, obs, bounds, config, networks).fromNoise(noise);
  const [q1, q2] = twinValues(criticParams, obs, action, networks);
  return [np.exp(logAlpha).mul(logProb).sub(np.minimum(q1, q2)).mean(), logProb];
}

/** Falls as alpha grows while the entropy is below its target, and the other way round. */
export const sacAlphaLoss = (logAlpha: Array, logProb: Array, targetEntropy: Scalar): Array =>
  np.exp(logAlpha).mul(lax.stopGradient(logProb).add(targetEntropy)).mean().neg();
