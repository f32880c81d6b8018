// The trees that PPO works on: parameters, state, minibatches and metrics.
import type { AgentState, NetworkParams, ObsStats, OptState, RewardStats } from "../../agent/index.js";
import type { Array } from "../../array/index.js";
import type { MLPParams, Network, Tree } from "../../nn/index.js";

/** Networks in place of PPO's own: the actor gives logits or the means of actions, the critic one value. */
export interface PPONetworks<A extends Tree = Tree, C extends Tree = Tree> {
  readonly actor: Network<A>;
  readonly critic: Network<C>;
}

/** Two networks of their own. A Gaussian policy has `logStd`, one number for each component of an action. */
export interface SeparateParams<A extends Tree = NetworkParams, C extends Tree = NetworkParams> {
  readonly actor: A;
  readonly critic: C;
  readonly logStd?: Array;
  readonly backbone?: undefined;
  readonly policy?: undefined;
  readonly value?: undefined;
}

/** One network with two last layers. */
export interface SharedParams {
  readonly backbone: NetworkParams;
  readonly policy: MLPParams;
  readonly value: MLPParams;
  readonly logStd?: Array;
  readonly actor?: undefined;
  readonly critic?: undefined;
}

/** Either kind has no fields of the other: `params.actor !== undefined` tells them apart. */
export type PPOParams = SeparateParams | SharedParams;

/** The parameters of any networks. */
export type AnyPPOParams = SeparateParams<Tree, Tree> | SharedParams;

/** With statistics of observations and rewards where the config asks for them. */
export interface PPOState<P extends AnyPPOParams = PPOParams>
  extends AgentState<P, OptState>, ObsStats, RewardStats {}

/** What the loss looks at; every field has the minibatch as its first axis. */
export interface PPOBatch {
  readonly obs: Array;
  readonly action: Array;
  /** The log-probability of the action when it was taken. */
  readonly logProb: Array;
  /** The value of `obs` when the action was taken. */
  readonly value: Array;
  readonly advantage: Array;
  /** What the value should have been. */
  readonly returns: Array;
}

/** The parts of the loss, averaged over an update's minibatches. */
export interface PPOLossMetrics {
  readonly totalLoss: Array;
  readonly actorLoss: Array;
  readonly criticLoss: Array;
  readonly entropy: Array;
  /** How far the policy has moved: the mean of old minus new log-probabilities. */
  readonly approxKl: Array;
  /** The same by an estimate that is never negative, the mean of ratio − 1 − log ratio; targetKl looks at it. */
  readonly kl: Array;
  /** The part of the ratios that were clipped. */
  readonly clipFraction: Array;
}

export interface PPOMetrics extends PPOLossMetrics {
  /** 1 if the values had foretold the returns, 0 if a constant would have done as well. */
  readonly explainedVariance: Array;
}
