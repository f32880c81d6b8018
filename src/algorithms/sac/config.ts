// SAC's hyperparameters: what they are, their defaults, and what they may be.
import {
  choice,
  defineConfig,
  eachOrAll,
  finite,
  flag,
  fraction,
  knownValue,
  networkKinds,
  optional,
  positive,
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

export interface SACConfig extends ScheduleHorizon {
  /** Widths of the hidden layers of the actor and of both critics. Default [256, 256]. */
  readonly hiddenSizes: readonly number[];
  /** Convolutions or dense layers only; "auto" takes convolutions for images of at least 5×5. Default "auto". */
  readonly network: NetworkKind;
  /** Adam's learning rate for the actor. Default 3e-4. */
  readonly actorLr: Scalar;
  /** Adam's learning rate for the critics. Default 3e-4. */
  readonly criticLr: Scalar;
  /** Adam's learning rate for the logarithm of alpha. Default 3e-4. */
  readonly alphaLr: Scalar;
  /** Whether the rates stay ("constant") or fall to 0 over scheduleUpdates ("linear"). Default "constant". */
  readonly lrSchedule: Schedule;
  /** Discount for each step. Default 0.99. */
  readonly gamma: Scalar;
  /** Transitions in a batch drawn from the replay buffer. Default 256. */
  readonly batchSize: number;
  /** Largest norm of the gradients of one network; larger ones are scaled down. Default 10. */
  readonly maxGradNorm: Scalar;
  /** How far the target critics move towards the critics in an update. Default 0.005. */
  readonly tau: Scalar;
  /** The temperature to begin with: what a nat of entropy is worth in reward. Default 1. */
  readonly initAlpha: Scalar;
  /** Whether the temperature is learned, so that entropy settles at its target. Default true. */
  readonly autotuneAlpha: boolean;
  /** The target entropy is −targetEntropyScale · actionDim nats. Default 1. */
  readonly targetEntropyScale: Scalar;
  /** Least action, for all components or one for each; null takes the action space's. Default null. */
  readonly actionLow: number | readonly number[] | null;
  /** Largest action, for all components or one for each; null takes the action space's. Default null. */
  readonly actionHigh: number | readonly number[] | null;
  /** Least logarithm of the policy's standard deviation. Default −20. */
  readonly logStdMin: Scalar;
  /** Largest logarithm of the policy's standard deviation. Default 2. */
  readonly logStdMax: Scalar;
  /** Steps whose rewards are added up before values take over: n-step returns. Default 1. */
  readonly nSteps: number;
  /** trainSAC learns whenever so many environment steps, of all environments together, were made. Default 1. */
  readonly trainFreq: number;
  /** Updates each time that trainSAC learns. Default 1. */
  readonly gradientSteps: number;
  /** Whether observations are brought to mean 0 and deviation 1 by what was seen in training. Default false. */
  readonly normalizeObs: boolean;
  /** Normalised observations are kept within ± this. Default 10. */
  readonly clipObs: Scalar;
  /** Whether rewards are divided by the deviation of discounted returns seen in training. Default false. */
  readonly normalizeReward: boolean;
  /** Normalised rewards are kept within ± this. Default 10. */
  readonly clipReward: Scalar;
}

/** A SAC config: the defaults with the given fields in their place, checked and frozen. */
export const SACConfig = defineConfig<SACConfig>(
  "SACConfig",
  {
    hiddenSizes: widths([256, 256]),
    network: choice("auto", networkKinds),
    actorLr: traceable(positive(3e-4)),
    criticLr: traceable(positive(3e-4)),
    alphaLr: traceable(positive(3e-4)),
    lrSchedule: schedule(),
    scheduleUpdates: scheduleUpdates(),
    gamma: traceable(fraction(0.99)),
    batchSize: whole(256),
    maxGradNorm: traceable(positive(10)),
    tau: traceable(fraction(0.005)),
    initAlpha: traceable(positive(1)),
    autotuneAlpha: flag(true),
    targetEntropyScale: traceable(positive(1)),
    actionLow: optional(eachOrAll(-1)),
    actionHigh: optional(eachOrAll(1)),
    logStdMin: traceable(finite(-20)),
    logStdMax: traceable(finite(2)),
    nSteps: whole(1),
    trainFreq: whole(1),
    gradientSteps: whole(1),
    normalizeObs: flag(false),
    clipObs: traceable(positive(10)),
    normalizeReward: flag(false),
    clipReward: traceable(positive(10)),
  },
  ({ actionLow, actionHigh, logStdMin, logStdMax }) => {
    // A bound that is left to the action space is compared when that is known.
    const [low, high] = [[actionLow ?? -Infinity].flat(), [actionHigh ?? Infinity].flat()];
    if (low.length > 1 && high.length > 1 && low.length !== high.length) {
      return `actionLow has ${low.length} components, actionHigh ${high.length}`;
    }
    const count = Math.max(low.length, high.length);
    const at = (bounds: readonly number[], index: number) => bounds[Math.min(index, bounds.length - 1)];
    for (let index = 0; index < count; index++) {
      const [least, most] = [at(low, index), at(high, index)];
      if (!(least < most)) return `actionLow must be less than actionHigh, got ${least} and ${most}`;
    }
    const [least, most] = [knownValue(logStdMin), knownValue(logStdMax)];
    return least === null || most === null || least < most
      ? null
      : `logStdMin must be less than logStdMax, got ${least} and ${most}`;
  },
);
