// DQN's hyperparameters: what they are, their defaults, and what they may be.
import {
  choice,
  defineConfig,
  flag,
  fraction,
  optional,
  positive,
  positiveFraction,
  schedule,
  scheduleUpdates,
  whole,
  widths,
  type Schedule,
  type ScheduleHorizon,
} from "../../agent/index.js";

export interface DQNConfig extends ScheduleHorizon {
  /** Widths of the hidden layers of the Q-network. Default [128, 128]. */
  readonly hiddenSizes: readonly number[];
  /** Adam's learning rate. Default 1e-3. */
  readonly lr: number;
  /** Whether the rate stays ("constant") or falls to 0 over scheduleUpdates ("linear"). Default "constant". */
  readonly lrSchedule: Schedule;
  /** Discount for each step. Default 0.99. */
  readonly gamma: number;
  /** Transitions in a batch drawn from the replay buffer. Default 64. */
  readonly batchSize: number;
  /** Largest norm of all gradients together; larger ones are scaled down. Default 10. */
  readonly maxGradNorm: number;
  /** The target network moves towards the online one every so many updates. Default 1,000. */
  readonly targetUpdateFreq: number;
  /** How far it moves then; 1 makes it a copy. Default 1. */
  readonly tau: number;
  /** Chance of a random action before the first update. Default 1. */
  readonly epsilonStart: number;
  /** Chance of a random action once it has fallen. Default 0.01. */
  readonly epsilonEnd: number;
  /** Updates over which the chance falls linearly. Default 50,000. */
  readonly epsilonDecaySteps: number;
  /** The part of scheduleUpdates over which the chance falls instead; null: epsilonDecaySteps. Default null. */
  readonly explorationFraction: number | null;
  /** Steps whose rewards are added up before values take over: n-step returns. Default 1. */
  readonly nSteps: number;
  /** trainDQN learns whenever so many environment steps, of all environments together, were made. Default 1. */
  readonly trainFreq: number;
  /** Updates each time that trainDQN learns. Default 1. */
  readonly gradientSteps: number;
  /** Whether transitions with large errors are drawn more often: prioritised replay. Default false. */
  readonly prioritized: boolean;
  /** How much more often: chances are as errors to this power, 0 makes them equal. Default 0.6. */
  readonly priorityAlpha: number;
  /** How far weights make up for it at first; at the end of scheduleUpdates they do in full. Default 0.4. */
  readonly priorityBeta: number;
  /** Whether the online network chooses the next action that the target network values. Default false. */
  readonly double: boolean;
  /** Whether the network has a value and advantages that add up to Q. Default false. */
  readonly dueling: boolean;
  /** What is done to an error: its square ("mse"), or linear beyond 1 ("huber"). Default "mse". */
  readonly loss: "mse" | "huber";
  /** Whether observations are brought to mean 0 and deviation 1 by what was seen in training. Default false. */
  readonly normalizeObs: boolean;
  /** Normalised observations are kept within ± this. Default 10. */
  readonly clipObs: number;
}

/** A DQN config: the defaults with the given fields in their place, checked and frozen. */
export const DQNConfig = defineConfig<DQNConfig>("DQNConfig", {
  hiddenSizes: widths([128, 128]),
  lr: positive(1e-3),
  lrSchedule: schedule(),
  scheduleUpdates: scheduleUpdates(),
  gamma: fraction(0.99),
  batchSize: whole(64),
  maxGradNorm: positive(10),
  targetUpdateFreq: whole(1000),
  tau: positiveFraction(1),
  epsilonStart: fraction(1),
  epsilonEnd: fraction(0.01),
  epsilonDecaySteps: whole(50_000),
  explorationFraction: optional(positiveFraction(1)),
  nSteps: whole(1),
  trainFreq: whole(1),
  gradientSteps: whole(1),
  prioritized: flag(false),
  priorityAlpha: fraction(0.6),
  priorityBeta: fraction(0.4),
  double: flag(false),
  dueling: flag(false),
  loss: choice("mse", ["mse", "huber"]),
  normalizeObs: flag(false),
  clipObs: positive(10),
});
