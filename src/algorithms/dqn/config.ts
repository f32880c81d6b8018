// DQN's hyperparameters: what they are, their defaults, and what they may be.
import {
  choice,
  defineConfig,
  flag,
  fraction,
  networkKinds,
  positive,
  traceable,
  whole,
  widths,
  type NetworkKind,
  type Scalar,
} from "../../agent/index.js";

export interface DQNConfig {
  /** Widths of the hidden layers of the Q-network. Default [128, 128]. */
  readonly hiddenSizes: readonly number[];
  /** Convolutions or dense layers only; "auto" takes convolutions for images of at least 5×5. Default "auto". */
  readonly network: NetworkKind;
  /** Adam's learning rate. Default 1e-3. */
  readonly lr: Scalar;
  /** Discount for each step. Default 0.99. */
  readonly gamma: Scalar;
  /** Transitions in a batch drawn from the replay buffer. Default 64. */
  readonly batchSize: number;
  /** Largest norm of all gradients together; larger ones are scaled down. Default 10. */
  readonly maxGradNorm: Scalar;
  /** The target network becomes a copy of the online one every so many updates. Default 1,000. */
  readonly targetUpdateFreq: number;
  /** Chance of a random action before the first update. Default 1. */
  readonly epsilonStart: Scalar;
  /** Chance of a random action from epsilonDecaySteps updates on. Default 0.01. */
  readonly epsilonEnd: Scalar;
  /** Updates over which the chance falls linearly. Default 50,000. */
  readonly epsilonDecaySteps: Scalar;
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
  gamma: traceable(fraction(0.99)),
  batchSize: whole(64),
  maxGradNorm: traceable(positive(10)),
  targetUpdateFreq: whole(1000),
  epsilonStart: traceable(fraction(1)),
  epsilonEnd: traceable(fraction(0.01)),
  epsilonDecaySteps: traceable(whole(50_000)),
  double: flag(false),
  dueling: flag(false),
  loss: choice("mse", ["mse", "huber"]),
  normalizeObs: flag(false),
  clipObs: traceable(positive(10)),
});
