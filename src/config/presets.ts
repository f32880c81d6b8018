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

/** The presets by name. */
export const presets: Readonly<Record<string, Preset>> = {
  cartpole_ppo: ppo(
    "CartPole-v1",
    "balance a pole with PPO: a second or two (unlike PPO's defaults: advantages look further ahead, values are not " +
      "clipped, the rate falls to 0 over the run)",
    { numEnvs: 4, lrSchedule: "linear", gaeLambda: 0.98, clipValueLoss: false },
    {},
  ),
  cartpole_dqn: dqn(
    "CartPole-v1",
    "balance a pole with DQN (unlike DQN's defaults: double, a smaller network, a slower rate, an earlier end of " +
      "exploration)",
    {
      ...{ hiddenSizes: [64, 64], lr: 2.5e-4, epsilonDecaySteps: 20_000, epsilonEnd: 0.05 },
      ...{ targetUpdateFreq: 500, double: true },
    },
    {},
  ),
  pendulum_ppo: ppo(
    "Pendulum-v1",
    "swing a pendulum up with PPO and a Gaussian policy (RL Zoo's discount of 0.9, rate of 1e-3 and 4 × 1024 steps " +
      "instead of 0.99, 3e-4 and 1 × 2048, with which 200,000 steps end near -600)",
    {
      ...{ lr: 1e-3, nSteps: 1024, numEnvs: 4, nMinibatches: 32, nEpochs: 10, entCoef: 0 },
      ...{ gamma: 0.9, clipValueLoss: false },
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
    "swing two links up with PPO (unlike PPO's defaults: 8 environments and a rate of 1e-3)",
    { numEnvs: 8, lr: 1e-3 },
    { totalTimesteps: 200_000 },
  ),
  mountaincar_dqn: dqn(
    "MountainCar-v0",
    "drive out of a valley with DQN (unlike DQN's defaults: few random actions from the start and a long view, since " +
      "values that begin too high explore better here; one update for every 8 steps)",
    {
      ...{ hiddenSizes: [128, 64], lr: 1e-3, batchSize: 128, gamma: 0.995 },
      ...{ epsilonStart: 0.2, epsilonDecaySteps: 2_000, epsilonEnd: 0.05, targetUpdateFreq: 200 },
      trainFreq: 8,
    },
    {
      totalTimesteps: 800_000,
      numEnvs: 8,
      evalEvery: 25_000,
      logInterval: 5_000,
      checkpointInterval: 25_000,
    },
  ),
  pixelgrid_ppo: ppo(
    "PixelGridWorld-v0",
    "find the way across a grid from its picture with PPO and a convolutional network (unlike PPO's defaults: 8 " +
      "environments, 64 steps, a rate of 1e-3)",
    { numEnvs: 8, nSteps: 64, lr: 1e-3, hiddenSizes: [64] },
    { totalTimesteps: 20_000, evalEvery: 2_500 },
  ),
};
