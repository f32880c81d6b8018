// What every field of a config means, in a few words, for the command line's help.
import type { DQNConfig, PPOConfig, SACConfig } from "../algorithms/index.js";
import type { RunnerConfig } from "../runner/index.js";

type Meanings<C> = Readonly<Record<keyof C, string>>;

/** What a field takes. */
export type Kind =
  "number" | "number or null" | "number, list or null" | "list" | "true or false" | "text" | "path or null";

/** Fields whose defaults do not tell what else they take. */
const special: Readonly<Record<string, Kind>> = {
  ...{ targetKl: "number or null", scheduleUpdates: "number or null", explorationFraction: "number or null" },
  ...{ actionLow: "number, list or null", actionHigh: "number, list or null" },
  ...{ numDevices: "number or null", keepPeriod: "number or null", checkpointDir: "path or null" },
  checkpointInterval: "number or null",
};

/** What the field of a config takes. */
export function kindOf(name: string, initial: unknown): Kind {
  if (Object.hasOwn(special, name)) return special[name];
  if (Array.isArray(initial)) return "list";
  if (typeof initial === "boolean") return "true or false";
  return typeof initial === "string" ? "text" : "number";
}

export const ppoMeanings: Meanings<PPOConfig> = {
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

export const dqnMeanings: Meanings<DQNConfig> = {
  hiddenSizes: "widths of the hidden layers",
  network: "mlp, cnn, or auto: convolutions for images",
  lr: "learning rate",
  lrSchedule: "constant, or linear: the rate falls to 0 over schedule_updates",
  scheduleUpdates: "updates over which settings fall; null: all of the run",
  gamma: "discount for each step",
  batchSize: "transitions in a batch",
  maxGradNorm: "largest norm of the gradients",
  targetUpdateFreq: "updates between those of the target network",
  tau: "how far the target network moves then; 1 copies",
  epsilonStart: "chance of a random action at first",
  epsilonEnd: "chance of a random action in the end",
  epsilonDecaySteps: "updates over which the chance falls",
  explorationFraction: "part of schedule_updates over which it falls instead",
  nSteps: "steps whose rewards are added up before values take over",
  trainFreq: "environment steps between times of learning",
  gradientSteps: "updates each time",
  prioritized: "whether transitions with large errors are drawn more often",
  priorityAlpha: "how much more often; 0 not at all",
  priorityBeta: "how far weights make up for it at first; in the end in full",
  double: "whether to use double DQN",
  dueling: "whether the network has a value and advantages",
  loss: "mse or huber",
  normalizeObs: "whether observations are normalised by running statistics",
  clipObs: "normalised observations are kept within ± this",
};

export const sacMeanings: Meanings<SACConfig> = {
  hiddenSizes: "widths of the hidden layers",
  network: "mlp, cnn, or auto: convolutions for images",
  actorLr: "learning rate of the actor",
  criticLr: "learning rate of the critics",
  alphaLr: "learning rate of the temperature",
  lrSchedule: "constant, or linear: the rates fall to 0 over schedule_updates",
  scheduleUpdates: "updates over which settings fall; null: all of the run",
  gamma: "discount for each step",
  batchSize: "transitions in a batch",
  maxGradNorm: "largest norm of the gradients",
  tau: "how fast the target critics follow",
  initAlpha: "temperature to begin with",
  autotuneAlpha: "whether the temperature is learned",
  targetEntropyScale: "target entropy per action component, negated",
  actionLow: "least action; null takes the environment's",
  actionHigh: "largest action; null takes the environment's",
  logStdMin: "least log standard deviation",
  logStdMax: "largest log standard deviation",
  nSteps: "steps whose rewards are added up before values take over",
  trainFreq: "environment steps between times of learning",
  gradientSteps: "updates each time",
  normalizeObs: "whether observations are normalised by running statistics",
  clipObs: "normalised observations are kept within ± this",
  normalizeReward: "whether rewards are scaled by the deviation of returns",
  clipReward: "normalised rewards are kept within ± this",
};

export const runnerMeanings: Meanings<RunnerConfig> = {
  totalTimesteps: "environment steps to train for",
  evalEvery: "steps between evaluations",
  evalEpisodes: "episodes of an evaluation",
  logInterval: "steps between lines of the log",
  bufferSize: "transitions that the replay buffer holds (DQN, SAC)",
  warmupSteps: "random steps before learning (DQN, SAC)",
  numDevices: "devices to use; one so far, which null is, too",
  numEnvs: "environments side by side on each device (PPO: as algo.num_envs)",
  fsdpDevices: "devices that share large parameters; one so far",
  seed: "where everything random comes from",
  checkpointDir: "where checkpoints go; null: the run's directory",
  checkpointInterval: "steps between checkpoints; null saves none",
  maxCheckpoints: "newest checkpoints to keep",
  keepPeriod: "keep for good what is at multiples of so many steps",
  resume: "whether to go on from the newest checkpoint",
  overwrite: "whether checkpoints that are there may be wiped",
  plot: "whether to plot the reward curve in the end",
};
