// PPO's hyperparameters: what they are, their defaults, and what they may be.
import {
  choice,
  defineConfig,
  flag,
  fraction,
  networkKinds,
  notNegative,
  optional,
  positive,
  schedule,
  scheduleUpdates,
  traceable,
  whole,
  widths,
  type ConfigBuilder,
  type NetworkKind,
  type Scalar,
  type Schedule,
  type ScheduleHorizon,
} from "../../agent/index.js";

export interface PPOConfig extends ScheduleHorizon {
  /** Widths of the hidden layers of the actor and of the critic. Default [64, 64]. */
  readonly hiddenSizes: readonly number[];
  /** Convolutions or dense layers only; "auto" takes convolutions for images of at least 5×5. Default "auto". */
  readonly network: NetworkKind;
  /** Adam's learning rate. Default 2.5e-4. */
  readonly lr: Scalar;
  /** Whether the rate stays ("constant") or falls to 0 over scheduleUpdates ("linear"). Default "constant". */
  readonly lrSchedule: Schedule;
  /** Largest norm of all gradients together; larger ones are scaled down. Default 0.5. */
  readonly maxGradNorm: Scalar;
  /** Discount for each step. Default 0.99. */
  readonly gamma: Scalar;
  /** How far advantages look ahead: 0 one step, 1 to the end. Default 0.95. */
  readonly gaeLambda: Scalar;
  /** How far a probability ratio may move from 1 and still pay. Default 0.2. */
  readonly clipEps: Scalar;
  /** Whether clipEps stays or falls, likewise. Default "constant". */
  readonly clipSchedule: Schedule;
  /** Whether the value, too, is kept within clipEps of its old one. Default true. */
  readonly clipValueLoss: boolean;
  /** Weight of the critic's loss. Default 0.5. */
  readonly vfCoef: Scalar;
  /** Weight of the entropy bonus. Default 0.01. */
  readonly entCoef: Scalar;
  /** Whether each minibatch's advantages are brought to mean 0 and deviation 1. Default true. */
  readonly normalizeAdvantage: boolean;
  /** The rest of an update is left out once the metric `kl` exceeds this; null never. Default null. */
  readonly targetKl: Scalar | null;
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
  readonly clipObs: Scalar;
  /** Whether rewards are divided by the deviation of discounted returns seen in training. Default false. */
  readonly normalizeReward: boolean;
  /** Normalised rewards are kept within ± this. Default 10. */
  readonly clipReward: Scalar;
}

/** What makes a PPO config. Its type knows whether the backbone is shared, which parameters depend on. */
interface PPOConfigBuilder extends ConfigBuilder<PPOConfig> {
  (given?: Partial<PPOConfig> & { readonly sharedBackbone?: false }): Separate;
  (given: Partial<PPOConfig> & { readonly sharedBackbone: true }): Shared;
  (given?: Partial<PPOConfig>): Readonly<PPOConfig>;
}
type Separate = Readonly<PPOConfig> & { readonly sharedBackbone: false };
type Shared = Readonly<PPOConfig> & { readonly sharedBackbone: true };

/** A PPO config: the defaults with the given fields in their place, checked and frozen. */
export const PPOConfig = defineConfig<PPOConfig>(
  "PPOConfig",
  {
    hiddenSizes: widths([64, 64]),
    network: choice("auto", networkKinds),
    lr: traceable(positive(2.5e-4)),
    lrSchedule: schedule(),
    maxGradNorm: traceable(positive(0.5)),
    gamma: traceable(fraction(0.99)),
    gaeLambda: traceable(fraction(0.95)),
    clipEps: traceable(positive(0.2)),
    clipSchedule: schedule(),
    scheduleUpdates: scheduleUpdates(),
    clipValueLoss: flag(true),
    vfCoef: traceable(notNegative(0.5)),
    entCoef: traceable(notNegative(0.01)),
    normalizeAdvantage: flag(true),
    targetKl: optional(traceable(positive(0.01))),
    nSteps: whole(128),
    nMinibatches: whole(4),
    nEpochs: whole(4),
    numEnvs: whole(1),
    sharedBackbone: flag(false),
    normalizeObs: flag(false),
    clipObs: traceable(positive(10)),
    normalizeReward: flag(false),
    clipReward: traceable(positive(10)),
  },
  ({ nSteps, numEnvs, nMinibatches }) =>
    (nSteps * numEnvs) % nMinibatches === 0
      ? null
      : `nMinibatches is ${nMinibatches}, which does not divide the ${nSteps * numEnvs} steps of a rollout ` +
        `(nSteps ${nSteps} × numEnvs ${numEnvs})`,
) as PPOConfigBuilder;
