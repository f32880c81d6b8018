// PPO's presets: an environment and settings that are known to learn.
import { presetOf, type PresetData } from "../definition.js";
import type { PPOConfig } from "./config.js";

const preset = presetOf<PPOConfig>();

/** A game of MinAtar with PureJaxRL's settings. */
const minAtar = (game: string, task: string): PresetData<PPOConfig> =>
  preset(
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

export const presets = {
  cartpole_ppo: preset(
    "CartPole-v1",
    "balance a pole with PPO in a second or two (unlike PPO's defaults: RL Zoo's 8 × 32 steps, discount of 0.98, rate of " +
      "1e-3 and clip that fall to 0 over the run; one epoch of 32 minibatches, which learns as steadily as 20 epochs of " +
      "one, with a twentieth of the arithmetic; values are not clipped)",
    {
      ...{ numEnvs: 8, nSteps: 32, nMinibatches: 32, nEpochs: 1, gamma: 0.98, gaeLambda: 0.9, entCoef: 0 },
      ...{ lr: 1e-3, lrSchedule: "linear", clipSchedule: "linear", clipValueLoss: false },
    },
    {},
  ),
  pendulum_ppo: preset(
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
  acrobot_ppo: preset(
    "Acrobot-v1",
    "swing two links up with PPO (unlike PPO's defaults: 8 environments and a rate of 1e-3 that falls to 0 over the run)",
    { numEnvs: 8, lr: 1e-3, lrSchedule: "linear" },
    { totalTimesteps: 300_000 },
  ),
  pixelgrid_ppo: preset(
    "PixelGridWorld-v0",
    "find the way across a grid from its picture with PPO and a convolutional network (unlike PPO's defaults: 8 " +
      "environments, 64 steps, a rate of 1e-3)",
    { numEnvs: 8, nSteps: 64, lr: 1e-3, hiddenSizes: [64] },
    { totalTimesteps: 20_000, evalEvery: 2_500 },
  ),
  breakout_ppo: minAtar("Breakout", "break bricks on a board of 10 × 10"),
  asterix_ppo: preset(
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
} satisfies Readonly<Record<string, PresetData<PPOConfig>>>;
