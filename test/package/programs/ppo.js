// PPO on CartPole, as a page would train it: short, but long enough to see that it learns.
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { make } from "vibe-rl/env";
import { RunnerConfig, trainPPO } from "vibe-rl/runner";

async function train() {
  const [env, params] = make("CartPole-v1");
  const returns = [];
  const [, history] = await trainPPO(env, params, {
    ppoConfig: PPOConfig({ numEnvs: 8, nSteps: 64, lr: 2e-3, hiddenSizes: [32, 32] }),
    runnerConfig: RunnerConfig({ totalTimesteps: 20_480, logInterval: 2_048, evalEvery: 20_480 }),
    logger: { log: ({ episode_return: value }) => value !== undefined && returns.push(value) },
  });
  return { updates: history.totalLoss.shape[0], first: returns[0], last: returns.at(-1) };
}

globalThis.result = train();
