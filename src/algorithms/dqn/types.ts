// The trees that DQN works on: its state and its metrics.
import type { NetworkParams, ObsStats, OptState } from "../../agent/index.js";
import type { Array } from "../../array/index.js";
import type { Network, Tree } from "../../nn/index.js";

/** A network in place of DQN's own: it gives the value of each action, and one output more where `dueling` is set. */
export interface DQNNetworks<P extends Tree = Tree> {
  readonly q: Network<P>;
}

/** With statistics of observations where the config asks for them. */
export interface DQNState<P extends Tree = NetworkParams> extends ObsStats {
  /** The Q-network that learns. */
  readonly params: P;
  /** An older copy of it that says what the next observation is worth. */
  readonly targetParams: P;
  readonly optState: OptState;
  /** How many updates were made, an int32 scalar; from 2^31 − 1 on it goes in circles below that. */
  readonly step: Array;
  /** The random key that the next random operation splits. */
  readonly rng: Array;
}

export interface DQNMetrics {
  /** The mean loss of the batch. */
  readonly loss: Array;
  /** The mean Q-value of the actions taken. */
  readonly qMean: Array;
  /** The chance of a random action now. */
  readonly epsilon: Array;
}
