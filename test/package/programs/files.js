// A run with its directory, as a program of Node: bundled or not, it leaves its files behind.
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { make } from "vibe-rl/env";
import { readMetrics } from "vibe-rl/metrics";
import { RunDir } from "vibe-rl/runDir";
import { RunnerConfig, trainPPO } from "vibe-rl/runner";

async function train() {
  const runDir = RunDir("short", { baseDir: process.argv[2] });
  const [env, params] = make("CartPole-v1");
  await trainPPO(env, params, {
    ppoConfig: PPOConfig({ nSteps: 64, hiddenSizes: [16] }),
    runnerConfig: RunnerConfig({ totalTimesteps: 128, logInterval: 64, evalEpisodes: 1 }),
    runDir,
  });
  const steps = runDir.listCheckpoints().map(({ step }) => step);
  const records = readMetrics(runDir.logPath()).length;
  process.stdout.write(JSON.stringify({ steps, records }));
}

train();
