// The trees that SAC works on: its critics, its state and its metrics.
import type { NetworkParams, ObsStats, OptState, RewardStats } from "../../agent/index.js";
import type { Array } from "../../array/index.js";
import type { Network, Tree } from "../../nn/index.js";
import type { ActionBounds } from "./bounds.js";

/**
 * Networks in place of SAC's own. The actor gives the means and then the logarithms of the standard deviations of an
 * action's components, the critic one value. The critic's input is the observation joined with the action: images
 * [height, width, channels] get a channel for each component of the action, everywhere of its value; all other
 * observations are flattened, and the action comes behind. Both critics are of the one network.
 */
export interface SACNetworks<A extends Tree = Tree, C extends Tree = Tree> {
  readonly actor: Network<A>;
  readonly critic: Network<C>;
}

/** Two critics that judge alike; the lower word counts. */
export interface TwinParams<C extends Tree = NetworkParams> {
  readonly q1: C;
  readonly q2: C;
}

/** With statistics of observations and rewards where the config asks for them. */
export interface SACState<A extends Tree = NetworkParams, C extends Tree = NetworkParams>
  extends ActionBounds, ObsStats, RewardStats {
  readonly actorParams: A;
  readonly criticParams: TwinParams<C>;
  /** Critics that follow the others slowly. */
  readonly targetCriticParams: TwinParams<C>;
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
