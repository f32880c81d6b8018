// DQN's presets: an environment and settings that are known to learn.
import { presetOf, type PresetData } from "../definition.js";
import type { DQNConfig } from "./config.js";

const preset = presetOf<DQNConfig>();

export const presets = {
  cartpole_dqn: preset(
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
  gridworld_dqn: preset(
    "GridWorld-v0",
    "find the way across a grid with DQN (unlike DQN's defaults: a smaller network, half the rate, an earlier end of " +
      "exploration)",
    { hiddenSizes: [64, 64], lr: 5e-4, epsilonDecaySteps: 10_000, targetUpdateFreq: 250 },
    { totalTimesteps: 50_000 },
  ),
  mountaincar_dqn: preset(
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
} satisfies Readonly<Record<string, PresetData<DQNConfig>>>;
