// The training runs that are measured on XLA, with the lengths of those in JAX.
import { ppoTraining, trainingRuns } from "../agentPrograms.mjs";

const ppo = (envs, updates) => ({
  ...{ name: `ppo${envs}`, algorithm: "ppo", envs, updates },
  training: () => ppoTraining({ numEnvs: envs }, updates),
});

const offPolicy = (name, steps) => ({
  ...{ name, algorithm: name, steps },
  training: () => ({ ...trainingRuns.find((run) => run.name === name), count: steps, steps }),
});

export const xlaRuns = [
  ppo(4, 195),
  ppo(256, 20),
  ppo(4096, 5),
  offPolicy("dqn", 10_000),
  offPolicy("sac", 5000),
];
