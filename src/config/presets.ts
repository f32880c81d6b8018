// Presets: an environment, an algorithm and settings that are known to learn.
import { DQNConfig, PPOConfig, SACConfig } from "../algorithms/index.js";
import { RunnerConfig } from "../runner/index.js";

interface Common {
  readonly envId: string;
  /** Parameters of the environment that are not its own, as plain data. */
  readonly envParams?: Readonly<Record<string, unknown>>;
  readonly runner: RunnerConfig;
}

/** Everything a run is made of. */
export type TrainConfig = Common &
  (
    | { readonly algo: "ppo"; readonly algoConfig: PPOConfig }
    | { readonly algo: "dqn"; readonly algoConfig: DQNConfig }
    | { readonly algo: "sac"; readonly algoConfig: SACConfig }
  );

export interface Preset {
  readonly description: string;
  readonly config: TrainConfig;
}

const ppo = (
  envId: string,
  description: string,
  algo: Partial<PPOConfig>,
  runner: Partial<RunnerConfig>,
): Preset => ({
  description,
  config: { envId, algo: "ppo", algoConfig: PPOConfig(algo), runner: RunnerConfig(runner) },
});

const dqn = (
  envId: string,
  description: string,
  algo: Partial<DQNConfig>,
  runner: Partial<RunnerConfig>,
): Preset => ({
  description,
  config: { envId, algo: "dqn", algoConfig: DQNConfig(algo), runner: RunnerConfig(runner) },
});

const sac = (
  envId: string,
  description: string,
  algo: Partial<SACConfig>,
  runner: Partial<RunnerConfig>,
): Preset => ({
  description,
  config: { envId, algo: "sac", algoConfig: SACConfig(algo), runner: RunnerConfig(runner) },
});

/** A game of MinAtar with PureJaxRL's settings. */
const minAtar = (game: string, task: string): Preset =>
  ppo(
    `${game}-MinAtar`,
    `${task} with PPO in minutes (unlike PPO's defaults: PureJaxRL's 64 × 128 steps, 8 minibatches and rate of 5e-3, ` +
      "which falls to 0 over the run; dense layers, which actor and critic share)",
    {
      ...{ network: "mlp", sharedBackbone: true, numEnvs: 64, nMinibatches: 8 },
      ...{ lr: 5e-3, lrSchedule: "linear" },
    },
    {
      ...{ totalTimesteps: 10_000_000, evalEvery: 1_000_000 },
      ...{ logInterval: 100_000, checkpointInterval: 1_000_000 },
    },
  );

/** The presets by name. */
export const presets: Readonly<Record<string, Preset>> = {
  cartpole_ppo: ppo(
    "CartPole-v1",
    "balance a pole with PPO: a few seconds, since 20 epochs an update make it steady (unlike PPO's defaults: RL Zoo's " +
      "8 × 32 steps, discount of 0.98, rate of 1e-3 and clip that fall to 0 over the run; values are not clipped)",
    {
      ...{ numEnvs: 8, nSteps: 32, nMinibatches: 1, nEpochs: 20, gamma: 0.98, gaeLambda: 0.8, entCoef: 0 },
      ...{ lr: 1e-3, lrSchedule: "linear", clipSchedule: "linear", clipValueLoss: false },
    },
    {},
  ),
  cartpole_ppo_fast: ppo(
    "CartPole-v1",
    "the same in a second or two, less steadily: one seed in five ends below 450 (unlike PPO's defaults: 4 " +
      "environments, advantages look further ahead, values are not clipped, the rate falls to 0 over the run)",
    { numEnvs: 4, lrSchedule: "linear", gaeLambda: 0.98, clipValueLoss: false },
    {},
  ),
  cartpole_dqn: dqn(
    "CartPole-v1",
    "balance a pole with DQN (unlike DQN's defaults: RL Zoo's 128 updates after every 256 steps, with a copy to the " +
      "target network after each time, and a rate that falls to 0 over the run; returns over 4 steps, normalised " +
      "observations, a smaller network)",
    {
      ...{ hiddenSizes: [64, 64], lr: 2.3e-3, lrSchedule: "linear", targetUpdateFreq: 128 },
      ...{ nSteps: 4, normalizeObs: true },
      ...{ trainFreq: 256, gradientSteps: 128, explorationFraction: 0.16, epsilonEnd: 0.1 },
    },
    { totalTimesteps: 50_000 },
  ),
  pendulum_ppo: ppo(
    "Pendulum-v1",
    "swing a pendulum up with PPO and a Gaussian policy (RL Zoo's 4 × 1024 steps and rate of 1e-3, which falls to 0 " +
      "over the run; a discount of 0.95 and scaled rewards; with PPO's defaults 200,000 steps end near -600)",
    {
      ...{
        lr: 1e-3,
        lrSchedule: "linear",
        nSteps: 1024,
        numEnvs: 4,
        nMinibatches: 32,
        nEpochs: 10,
        entCoef: 0,
      },
      ...{ gamma: 0.95, clipValueLoss: false, normalizeReward: true },
    },
    { totalTimesteps: 200_000 },
  ),
  pendulum_sac: sac(
    "Pendulum-v1",
    "swing a pendulum up with SAC; it has learned after a tenth of the steps (unlike SAC's defaults: RL Zoo's rate of " +
      "1e-3, and smaller networks and batches, which are much faster)",
    { hiddenSizes: [64, 64], actorLr: 1e-3, criticLr: 1e-3, alphaLr: 1e-3, batchSize: 128 },
    { totalTimesteps: 200_000 },
  ),
  gridworld_dqn: dqn(
    "GridWorld-v0",
    "find the way across a grid with DQN (unlike DQN's defaults: a smaller network, half the rate, an earlier end of " +
      "exploration)",
    { hiddenSizes: [64, 64], lr: 5e-4, epsilonDecaySteps: 10_000, targetUpdateFreq: 250 },
    { totalTimesteps: 50_000 },
  ),
  acrobot_ppo: ppo(
    "Acrobot-v1",
    "swing two links up with PPO (unlike PPO's defaults: 8 environments and a rate of 1e-3 that falls to 0 over the run)",
    { numEnvs: 8, lr: 1e-3, lrSchedule: "linear" },
    { totalTimesteps: 300_000 },
  ),
  mountaincar_dqn: dqn(
    "MountainCar-v0",
    "drive out of a valley with DQN (unlike DQN's defaults: RL Zoo's rate, discount, small buffer and 8 updates after " +
      "every 16 steps; returns over 3 steps, normalised observations, a smaller network, and a rate that falls to 0 over " +
      "the run)",
    {
      ...{ hiddenSizes: [64, 64], lr: 4e-3, lrSchedule: "linear", batchSize: 128, gamma: 0.98, nSteps: 3 },
      ...{ normalizeObs: true, targetUpdateFreq: 300, trainFreq: 16, gradientSteps: 8 },
      ...{ explorationFraction: 0.2, epsilonEnd: 0.07 },
    },
    { totalTimesteps: 200_000, bufferSize: 10_000 },
  ),
  pixelgrid_ppo: ppo(
    "PixelGridWorld-v0",
    "find the way across a grid from its picture with PPO and a convolutional network (unlike PPO's defaults: 8 " +
      "environments, 64 steps, a rate of 1e-3)",
    { numEnvs: 8, nSteps: 64, lr: 1e-3, hiddenSizes: [64] },
    { totalTimesteps: 20_000, evalEvery: 2_500 },
  ),
  breakout_ppo: minAtar("Breakout", "break bricks on a board of 10 × 10"),
  asterix_ppo: ppo(
    "Asterix-MinAtar",
    "collect gold on a board of 10 × 10 with PPO in a quarter of an hour, since dense layers learn little of it (unlike " +
      "PPO's defaults: 64 × 128 steps, 8 minibatches and a rate of 2e-3, which falls to 0 over the run; convolutions, " +
      "which actor and critic share)",
    {
      ...{ hiddenSizes: [64], sharedBackbone: true, numEnvs: 64, nMinibatches: 8 },
      ...{ lr: 2e-3, lrSchedule: "linear" },
    },
    {
      ...{ totalTimesteps: 2_000_000, evalEvery: 200_000 },
      ...{ logInterval: 50_000, checkpointInterval: 200_000 },
    },
  ),
  freeway_ppo: minAtar("Freeway", "cross a road on a board of 10 × 10"),
  space_invaders_ppo: minAtar("SpaceInvaders", "shoot aliens on a board of 10 × 10"),
  seaquest_ppo: minAtar("Seaquest", "rescue divers on a board of 10 × 10"),
};
