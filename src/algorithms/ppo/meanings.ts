// What every field of PPO's config means, in a few words, for the command line's help.
import type { PPOConfig } from "./config.js";

export const meanings: Readonly<Record<keyof PPOConfig, string>> = {
  hiddenSizes: "widths of the hidden layers",
  network: "mlp, cnn, or auto: convolutions for images",
  lr: "learning rate",
  lrSchedule: "constant, or linear: the rate falls to 0 over schedule_updates",
  maxGradNorm: "largest norm of the gradients",
  gamma: "discount for each step",
  gaeLambda: "how far advantages look ahead",
  clipEps: "how far probability ratios may move",
  clipSchedule: "constant, or linear: clip_eps falls to 0 over schedule_updates",
  scheduleUpdates: "updates over which settings fall; null: all of the run",
  clipValueLoss: "whether values are kept near their old ones",
  vfCoef: "weight of the critic's loss",
  entCoef: "weight of the entropy bonus",
  normalizeAdvantage: "whether minibatches' advantages are normalised",
  targetKl: "policy change at which an update ends early; null never",
  nSteps: "steps of each environment in a rollout",
  nMinibatches: "minibatches per epoch",
  nEpochs: "times an update goes over its rollout",
  numEnvs: "environments side by side",
  sharedBackbone: "whether actor and critic share layers",
  normalizeObs: "whether observations are normalised by running statistics",
  clipObs: "normalised observations are kept within ± this",
  normalizeReward: "whether rewards are scaled by the deviation of returns",
  clipReward: "normalised rewards are kept within ± this",
};
