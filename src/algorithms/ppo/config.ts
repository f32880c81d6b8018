// PPO's hyperparameters: what they are, their defaults, and what they may be.
import {
  defineConfig,
  flag,
  fraction,
  notNegative,
  optional,
  positive,
  schedule,
  scheduleUpdates,
  whole,
  widths,
  type Schedule,
  type ScheduleHorizon,
} from "../../agent/index.js";

export interface PPOConfig extends ScheduleHorizon {
  /** Widths of the hidden layers of the actor and of the critic. Default [64, 64]. */
  readonly hiddenSizes: readonly number[];
  /** Adam's learning rate. Default 2.5e-4. */
  readonly lr: number;
  /** Whether the rate stays ("constant") or falls to 0 over scheduleUpdates ("linear"). Default "constant". */
  readonly lrSchedule: Schedule;
  /** Largest norm of all gradients together; larger ones are scaled down. Default 0.5. */
  readonly maxGradNorm: number;
  /** Discount for each step. Default 0.99. */
  readonly gamma: number;
  /** How far advantages look ahead: 0 one step, 1 to the end. Default 0.95. */
  readonly gaeLambda: number;
  /** How far a probability ratio may move from 1 and still pay. Default 0.2. */
  readonly clipEps: number;
  /** Whether clipEps stays or falls, likewise. Default "constant". */
  readonly clipSchedule: Schedule;
  /** Whether the value, too, is kept within clipEps of its old one. Default true. */
  readonly clipValueLoss: boolean;
  /** Weight of the critic's loss. Default 0.5. */
  readonly vfCoef: number;
  /** Weight of the entropy bonus. Default 0.01. */
  readonly entCoef: number;
  /** Whether each minibatch's advantages are brought to mean 0 and deviation 1. Default true. */
  readonly normalizeAdvantage: boolean;
  /** The rest of an update is left out once the metric `kl` exceeds this; null never. Default null. */
  readonly targetKl: number | null;
  /** Steps of each environment in a rollout. Default 128. */
  readonly nSteps: number;
  /** Minibatches per epoch; they must divide nSteps · numEnvs. Default 4. */
  readonly nMinibatches: number;
  /** Times that an update goes over its rollout. Default 4. */
  readonly nEpochs: number;
  /** Environments that run side by side. Default 1. */
  readonly numEnvs: number;
  /** Whether actor and critic share all layers but the last. Default false. */
  readonly sharedBackbone: boolean;
  /** Whether observations are brought to mean 0 and deviation 1 by what was seen in training. Default false. */
  readonly normalizeObs: boolean;
  /** Normalised observations are kept within ± this. Default 10. */
  readonly clipObs: number;
  /** Whether rewards are divided by the deviation of discounted returns seen in training. Default false. */
  readonly normalizeReward: boolean;
  /** Normalised rewards are kept within ± this. Default 10. */
  readonly clipReward: number;
}

/** A PPO config: the defaults with the given fields in their place, checked and frozen. */
export const PPOConfig = defineConfig<PPOConfig>(
  "PPOConfig",
  {
    hiddenSizes: widths([64, 64]),
    lr: positive(2.5e-4),
    lrSchedule: schedule(),
    maxGradNorm: positive(0.5),
    gamma: fraction(0.99),
    gaeLambda: fraction(0.95),
    clipEps: positive(0.2),
    clipSchedule: schedule(),
    scheduleUpdates: scheduleUpdates(),
    clipValueLoss: flag(true),
    vfCoef: notNegative(0.5),
    entCoef: notNegative(0.01),
    normalizeAdvantage: flag(true),
    targetKl: optional(positive(0.01)),
    nSteps: whole(128),
    nMinibatches: whole(4),
    nEpochs: whole(4),
    numEnvs: whole(1),
    sharedBackbone: flag(false),
    normalizeObs: flag(false),
    clipObs: positive(10),
    normalizeReward: flag(false),
    clipReward: positive(10),
  },
  ({ nSteps, numEnvs, nMinibatches }) =>
    (nSteps * numEnvs) % nMinibatches === 0
      ? null
      : `nMinibatches is ${nMinibatches}, which does not divide the ${nSteps * numEnvs} steps of a rollout ` +
        `(nSteps ${nSteps} × numEnvs ${numEnvs})`,
);
