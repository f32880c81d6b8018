// The trees that SAC works on: its critics, its state and its metrics.
import type { NetworkParams, ObsStats, OptState, RewardStats } from "../../agent/index.js";
import type { Array } from "../../array/index.js";
import type { ActionBounds } from "./bounds.js";

/** Two critics that judge alike; the lower word counts. */
export interface TwinParams {
  readonly q1: NetworkParams;
  readonly q2: NetworkParams;
}

/** With statistics of observations and rewards where the config asks for them. */
export interface SACState extends ActionBounds, ObsStats, RewardStats {
  readonly actorParams: NetworkParams;
  readonly criticParams: TwinParams;
  /** Critics that follow the others slowly. */
  readonly targetCriticParams: TwinParams;
  readonly actorOptState: OptState;
  readonly criticOptState: OptState;
  /** The logarithm of the temperature, a scalar. */
  readonly logAlpha: Array;
  readonly alphaOptState: OptState;
  /** How many updates were made, an int32 scalar. */
  readonly step: Array;
  /** The random key that the next random operation splits. */
  readonly rng: Array;
}

export interface SACMetrics {
  readonly actorLoss: Array;
  readonly criticLoss: Array;
  readonly alphaLoss: Array;
  /** The temperature. */
  readonly alpha: Array;
  /** The policy's entropy in nats, as estimated by the batch. */
  readonly entropy: Array;
  /** The mean of the lower critic at the batch's own actions. */
  readonly qMean: Array;
}
