// Trains one preset for some seeds, one after the other, and plays what came out greedily. As a process:
// node trainSeeds.mjs <preset> <steps> <episodes> <seed> …, one line of JSON for each seed.
import { pathToFileURL } from "node:url";
import { presets } from "../../dist/config/index.js";
import { PPO } from "../../dist/exports/algorithms/ppo.js";
import { DQN } from "../../dist/exports/algorithms/dqn.js";
import { SAC } from "../../dist/exports/algorithms/sac.js";
import { random, setCpuDevices } from "../../dist/exports/array.js";
import { make } from "../../dist/exports/env.js";
import {
  jitEvaluate,
  RunnerConfig,
  trainDQN,
  trainPPO,
  trainPPOMultiGPU,
  trainSAC,
} from "../../dist/exports/runner.js";
import { longestEpisode } from "../../dist/runner/index.js";
import { targets } from "./targets.mjs";
import { trainHostSeeds } from "./trainHostSeeds.mjs";

/** Points of a learning curve. */
const points = 20;

const trainers = {
  ppo: async (env, params, ppoConfig, options) => {
    const train = (options.runnerConfig.numDevices ?? 1) > 1 ? trainPPOMultiGPU : trainPPO;
    return (await train(env, params, { ppoConfig, ...options }))[0].agentState;
  },
  dqn: async (env, params, dqnConfig, options) =>
    (await trainDQN(env, params, { dqnConfig, ...options })).agentState,
  sac: async (env, params, sacConfig, options) =>
    (await trainSAC(env, params, { sacConfig, ...options })).agentState,
};

const agents = { ppo: PPO, dqn: DQN, sac: SAC };

/** Calls `onSeed` with { seed, seconds, meanReturn, meanLength, curve } for each seed; a curve has { step, return }. */
export async function trainSeeds(config, seeds, nEpisodes, onSeed) {
  const [env, params] = make(config.envId);
  const { algo, algoConfig } = config;
  const { totalTimesteps } = config.runner;
  const act = (state, obs) => agents[algo].act(state, obs, { config: algoConfig, explore: false })[0];
  for (const seed of seeds) {
    // Evaluation in the course of training changes nothing.
    const evalEvery = Math.ceil(totalTimesteps / points);
    const runnerConfig = RunnerConfig({ ...config.runner, seed, evalEvery, evalEpisodes: 10 });
    const curve = [];
    const logger = {
      log: ({ step, eval_return }) => {
        if (eval_return !== undefined) curve.push({ step, return: eval_return });
      },
    };
    const start = performance.now();
    const agent = await trainers[algo](env, params, algoConfig, { runnerConfig, logger });
    const seconds = (performance.now() - start) / 1000;
    const rng = random.foldIn(random.key(seed), 0x7465_7374);
    const options = { nEpisodes, maxSteps: longestEpisode(params), rng };
    const { meanReturn, meanLength } = jitEvaluate(act, agent, env, params, options);
    onSeed({ seed, seconds, meanReturn: meanReturn.item(), meanLength: meanLength.item(), curve });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [name, ...numbers] = process.argv.slice(2);
  const [totalTimesteps, nEpisodes, ...seeds] = numbers.map(Number);
  const { preset = name, vector, devices = 1 } = targets[name] ?? {};
  const { config } = presets[preset];
  setCpuDevices(devices);
  const algoConfig =
    devices === 1
      ? config.algoConfig
      : { ...config.algoConfig, numEnvs: config.algoConfig.numEnvs / devices };
  const runner = RunnerConfig({ ...config.runner, totalTimesteps, numDevices: devices });
  const own = { ...config, algoConfig, runner };
  const tell = (line) => console.log(JSON.stringify(line));
  if (vector === undefined) await trainSeeds(own, seeds, nEpisodes, tell);
  else await trainHostSeeds(vector, own, seeds, nEpisodes, tell);
}
