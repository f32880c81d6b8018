// What flows between environments, agents and loops: states, transitions and metrics.
import { np, type Array } from "../array/index.js";

/** The least an agent's state has. Algorithms have states of their own with more in them. */
export interface AgentState<Params = unknown, OptState = unknown> {
  readonly params: Params;
  readonly optState: OptState;
  /** How many updates were made, an int32 scalar. */
  readonly step: Array;
  /** The random key that the next random operation splits. */
  readonly rng: Array;
}

export const AgentState = {
  /** The state of an agent before its first update. */
  initial: <Params, OptState>(
    params: Params,
    optState: OptState,
    rng: Array,
  ): AgentState<Params, OptState> => ({ params, optState, step: np.int32(0), rng }),
} as const;

/** What an update measured. Algorithms have metrics of their own with more in them. */
export interface Metrics {
  readonly loss: Array;
}

/** What happened in one step, for replay. With a leading axis it is a batch. */
export interface Transition {
  readonly obs: Array;
  readonly action: Array;
  readonly reward: Array;
  /** The observation after the step; at an episode's end its last one (`info.terminalObs`), not the next start. */
  readonly nextObs: Array;
  /** Whether nothing follows: `info.terminated`. An episode that was cut off goes on as far as values go. */
  readonly done: Array;
}

/** A batch of transitions that may say more of each: of what follows it, and of how much it counts. */
export interface ReplayBatch extends Transition {
  /** What the value of `nextObs` is multiplied by; gamma where it is left out, another where steps were added up. */
  readonly discount?: Array;
  /** How much the error of each counts; 1 where it is left out. */
  readonly weight?: Array;
}

/** What happened in one step, for PPO. With leading axes (T,) or (T, N) it is a rollout. */
export interface PPOTransition {
  readonly obs: Array;
  readonly action: Array;
  /** The log-probability of the action when it was taken. */
  readonly logProb: Array;
  /** The value of `obs` when the action was taken. */
  readonly value: Array;
  readonly reward: Array;
  /** Whether the episode ended here, for whatever reason. */
  readonly done: Array;
}

/** A rollout that knows what would have followed where episodes were cut off. */
export interface PPORollout extends PPOTransition {
  /** The value of the last observation of an episode that was cut off here, 0 elsewhere. */
  readonly bootstrap: Array;
}
