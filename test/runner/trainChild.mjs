// A training process to be killed: trainChild.mjs <algorithm> <base directory> <run> <calls>. It prints a dot for every
// call of the compiled program. After so many it waits, in case that whoever kills it has not come yet.
import { setTimeout as sleep } from "node:timers/promises";
import { DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { SACConfig } from "vibe-rl/algorithms/sac";
import { make } from "vibe-rl/env";
import { RunDir } from "vibe-rl/runDir";
import { RunnerConfig, trainDQN, trainPPO, trainSAC } from "vibe-rl/runner";

const [algorithm, baseDir, runId, most] = process.argv.slice(2);
let calls = 0;
const runnerConfig = RunnerConfig({
  ...{ totalTimesteps: 1400, logInterval: 40, evalEvery: 200, evalEpisodes: 2, checkpointInterval: 50 },
  ...{ bufferSize: 500, warmupSteps: 100, resume: true, maxCheckpoints: 3 },
});
const options = {
  ...{ runnerConfig, runDir: RunDir.open(runId, { baseDir }) },
  onProgress: () => {
    calls++;
    process.stdout.write(".");
  },
  callback: () => (calls < Number(most) ? undefined : sleep(60_000)),
};
const trainings = {
  PPO: () => {
    const ppoConfig = PPOConfig({ hiddenSizes: [8], nSteps: 8, numEnvs: 2, nMinibatches: 2, nEpochs: 2 });
    return trainPPO(...make("CartPole-v1"), { ...options, ppoConfig });
  },
  DQN: () => {
    const dqnConfig = DQNConfig({ hiddenSizes: [8], batchSize: 8, targetUpdateFreq: 20 });
    return trainDQN(...make("GridWorld-v0"), { ...options, dqnConfig });
  },
  SAC: () => {
    const sacConfig = SACConfig({ hiddenSizes: [8], batchSize: 8 });
    return trainSAC(...make("Pendulum-v1"), { ...options, sacConfig });
  },
};
await trainings[algorithm]();
