// Which learning rate? PPO learns to balance a pole with three rates and two seeds each: six runs, one program.
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { make } from "vibe-rl/env";
import { RunnerConfig, sweep, trainPPO } from "vibe-rl/runner";

const [env, params] = make("CartPole-v1", { maxSteps: 200 });
const result = await sweep(
  trainPPO,
  env,
  params,
  {
    ppoConfig: PPOConfig({ hiddenSizes: [16], nSteps: 64, numEnvs: 4 }),
    runnerConfig: RunnerConfig({ totalTimesteps: 8_192, evalEvery: 8_192 }),
  },
  { "algo.lr": [1e-5, 1e-3, 1e-2], seeds: [0, 1] },
);
for (const line of String(result).split("\n")) console.log(line);

const best = result.runs.reduce((most, run) => ((run.evalReturn ?? 0) > (most.evalReturn ?? 0) ? run : most));
console.log(`best: ${best.name}, seed ${best.seed}`);
