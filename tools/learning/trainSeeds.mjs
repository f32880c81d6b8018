// Trains one preset for some seeds and plays what came out greedily. PPO trains all seeds in one program, DQN and
// SAC one after the other. As a process: node trainSeeds.mjs <preset> <steps> <episodes> <seed> …, one line of
// JSON for each seed.
import { pathToFileURL } from "node:url";
import { presets } from "../../dist/config/index.js";
import { PPO } from "../../dist/exports/algorithms/ppo.js";
import { DQN } from "../../dist/exports/algorithms/dqn.js";
import { SAC } from "../../dist/exports/algorithms/sac.js";
import { random, tree } from "../../dist/exports/array.js";
import { make } from "../../dist/exports/env.js";
import {
  jitEvaluate,
  longestEpisode,
  RunnerConfig,
  trainDQN,
  trainPPO,
  trainSAC,
} from "../../dist/exports/runner.js";

const elapsed = async (work) => {
  const start = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - start) / 1000 };
};

/** Evaluation in the course of training changes nothing; it is left out. */
const runnerFor = (config, seed) =>
  RunnerConfig({ ...config.runner, seed, evalEvery: config.runner.totalTimesteps, evalEpisodes: 1 });

/** Calls `onSeed` with { seed, seconds, meanReturn, meanLength } for each seed. */
export async function trainSeeds(config, seeds, nEpisodes, onSeed) {
  const [env, params] = make(config.envId);
  const { algo, algoConfig } = config;
  const act = {
    ppo: (state, obs) => PPO.act(state, obs, { config: algoConfig, explore: false })[0],
    dqn: (state, obs) => DQN.act(state, obs, { config: algoConfig, explore: false })[0],
    sac: (state, obs) => SAC.act(state, obs, { config: algoConfig, explore: false })[0],
  }[algo];
  const report = (seed, agent, seconds) => {
    const rng = random.foldIn(random.key(seed), 0x7465_7374);
    const options = { nEpisodes, maxSteps: longestEpisode(params), rng };
    const { meanReturn, meanLength } = jitEvaluate(act, agent, env, params, options);
    onSeed({ seed, seconds, meanReturn: meanReturn.item(), meanLength: meanLength.item() });
  };
  if (algo === "ppo") {
    const runnerConfig = runnerFor(config, seeds[0]);
    const { result, seconds } = await elapsed(() =>
      trainPPO(env, params, { ppoConfig: algoConfig, runnerConfig, seeds }),
    );
    const agents = result[0].agentState;
    for (const [at, seed] of seeds.entries()) {
      const agent = tree.map((x) => x.slice(at), agents);
      report(seed, agent, seconds / seeds.length);
    }
    return;
  }
  for (const seed of seeds) {
    const runnerConfig = runnerFor(config, seed);
    const { result, seconds } = await elapsed(() =>
      algo === "dqn"
        ? trainDQN(env, params, { dqnConfig: algoConfig, runnerConfig })
        : trainSAC(env, params, { sacConfig: algoConfig, runnerConfig }),
    );
    report(seed, result.agentState, seconds);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [name, ...numbers] = process.argv.slice(2);
  const [totalTimesteps, nEpisodes, ...seeds] = numbers.map(Number);
  const { config } = presets[name];
  const runner = RunnerConfig({ ...config.runner, totalTimesteps });
  await trainSeeds({ ...config, runner }, seeds, nEpisodes, (line) => console.log(JSON.stringify(line)));
}
