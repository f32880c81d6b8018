// DQN's hyperparameters: what they are, their defaults, and what they may be.
import {
  choice,
  defineConfig,
  flag,
  fraction,
  networkKinds,
  optional,
  positive,
  positiveFraction,
  schedule,
  scheduleUpdates,
  traceable,
  whole,
  widths,
  type NetworkKind,
  type Scalar,
  type Schedule,
  type ScheduleHorizon,
} from "../../agent/index.js";

export interface DQNConfig extends ScheduleHorizon {
  /** Widths of the hidden layers of the Q-network. Default [128, 128]. */
  readonly hiddenSizes: readonly number[];
  /** Convolutions or dense layers only; "auto" takes convolutions for images of at least 5×5. Default "auto". */
  readonly network: NetworkKind;
  /** Adam's learning rate. Default 1e-3. */
  readonly lr: Scalar;
  /** Whether the rate stays ("constant") or falls to 0 over scheduleUpdates ("linear"). Default "constant". */
  readonly lrSchedule: Schedule;
  /** Discount for each step. Default 0.99. */
  readonly gamma: Scalar;
  /** Transitions in a batch drawn from the replay buffer. Default 64. */
  readonly batchSize: number;
  /** Largest norm of all gradients together; larger ones are scaled down. Default 10. */
  readonly maxGradNorm: Scalar;
  /** The target network moves towards the online one every so many updates. Default 1,000. */
  readonly targetUpdateFreq: number;
  /** How far it moves then; 1 makes it a copy. Default 1. */
  readonly tau: Scalar;
  /** Chance of a random action before the first update. Default 1. */
  readonly epsilonStart: Scalar;
  /** Chance of a random action once it has fallen. Default 0.01. */
  readonly epsilonEnd: Scalar;
  /** Updates over which the chance falls linearly. Default 50,000. */
  readonly epsilonDecaySteps: Scalar;
  /** The part of scheduleUpdates over which the chance falls instead; null: epsilonDecaySteps. Default null. */
  readonly explorationFraction: Scalar | null;
  /** Steps whose rewards are added up before values take over: n-step returns. Default 1. */
  readonly nSteps: number;
  /** trainDQN learns whenever so many environment steps, of all environments together, were made. Default 1. */
  readonly trainFreq: number;
  /** Updates each time that trainDQN learns. Default 1. */
  readonly gradientSteps: number;
  /** Whether transitions with large errors are drawn more often: prioritised replay. Default false. */
  readonly prioritized: boolean;
  /** How much more often: chances are as errors to this power, 0 makes them equal. Default 0.6. */
  readonly priorityAlpha: Scalar;
  /** How far weights make up for it at first; at the end of scheduleUpdates they do in full. Default 0.4. */
  readonly priorityBeta: Scalar;
  /** Whether the online network chooses the next action that the target network values. Default false. */
  readonly double: boolean;
  /** Whether the network has a value and advantages that add up to Q. Default false. */
  readonly dueling: boolean;
  /** What is done to an error: its square ("mse"), or linear beyond 1 ("huber"). Default "mse". */
  readonly loss: "mse" | "huber";
  /** Whether observations are brought to mean 0 and deviation 1 by what was seen in training. Default false. */
  readonly normalizeObs: boolean;
  /** Normalised observations are kept within ± this. Default 10. */
  readonly clipObs: Scalar;
}

/** A DQN config: the defaults with the given fields in their place, checked and frozen. */
export const DQNConfig = defineConfig<DQNConfig>("DQNConfig", {
  hiddenSizes: widths([128, 128]),
  network: choice("auto", networkKinds),
  lr: traceable(positive(1e-3)),
  lrSchedule: schedule(),
  scheduleUpdates: scheduleUpdates(),
  gamma: traceable(fraction(0.99)),
  batchSize: whole(64),
  maxGradNorm: traceable(positive(10)),
  targetUpdateFreq: whole(1000),
  tau: traceable(positiveFraction(1)),
  epsilonStart: traceable(fraction(1)),
  epsilonEnd: traceable(fraction(0.01)),
  epsilonDecaySteps: traceable(whole(50_000)),
  explorationFraction: optional(traceable(positiveFraction(1))),
  nSteps: whole(1),
  trainFreq: whole(1),
  gradientSteps: whole(1),
  prioritized: flag(false),
  priorityAlpha: traceable(fraction(0.6)),
  priorityBeta: traceable(fraction(0.4)),
  double: flag(false),
  dueling: flag(false),
  loss: choice("mse", ["mse", "huber"]),
  normalizeObs: flag(false),
  clipObs: traceable(positive(10)),
});
