// Presets: an environment, an algorithm and settings that are known to learn.
import { DQNConfig, PPOConfig, SACConfig } from "../algorithms/index.js";
import { RunnerConfig } from "../runner/index.js";

interface Common {
  readonly envId: string;
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

/** The presets by name. */
export const presets: Readonly<Record<string, Preset>> = {
  cartpole_ppo: ppo("CartPole-v1", "balance a pole with PPO: a second or two", { numEnvs: 4 }, {}),
  cartpole_dqn: dqn(
    "CartPole-v1",
    "balance a pole with DQN (a slower rate and an earlier end of exploration than the defaults)",
    { lr: 2.5e-4, epsilonDecaySteps: 10_000, epsilonEnd: 0.05, targetUpdateFreq: 500, double: true },
    {},
  ),
  pendulum_ppo: ppo(
    "Pendulum-v1",
    "swing a pendulum up with PPO and a Gaussian policy",
    {
      ...{ lr: 1e-3, nSteps: 1024, numEnvs: 4, nMinibatches: 32, nEpochs: 10, entCoef: 0 },
      ...{ gamma: 0.9, clipValueLoss: false },
    },
    { totalTimesteps: 200_000 },
  ),
  pendulum_sac: sac(
    "Pendulum-v1",
    "swing a pendulum up with SAC; it has learned after a tenth of the steps",
    { actionLow: -2, actionHigh: 2 },
    { totalTimesteps: 200_000 },
  ),
  gridworld_dqn: dqn(
    "GridWorld-v0",
    "find the way across a grid with DQN",
    { hiddenSizes: [64, 64], lr: 5e-4, epsilonDecaySteps: 10_000, targetUpdateFreq: 250 },
    { totalTimesteps: 50_000 },
  ),
  acrobot_ppo: ppo(
    "Acrobot-v1",
    "swing two links up with PPO",
    { numEnvs: 8, lr: 1e-3 },
    { totalTimesteps: 200_000 },
  ),
  mountaincar_dqn: dqn(
    "MountainCar-v0",
    "drive out of a valley with DQN",
    {
      ...{ hiddenSizes: [256, 256], lr: 1e-3, batchSize: 128, gamma: 0.98 },
      ...{ epsilonDecaySteps: 24_000, epsilonEnd: 0.07, targetUpdateFreq: 600, double: true },
    },
    { totalTimesteps: 120_000 },
  ),
  pixelgrid_ppo: ppo(
    "PixelGridWorld-v0",
    "find the way across a grid from its picture with PPO and a convolutional network",
    { numEnvs: 8, nSteps: 64, lr: 1e-3, hiddenSizes: [64] },
    { totalTimesteps: 50_000 },
  ),
};
