// Trains PPO on CartPole as a plain class, in this thread or in workers, for some seeds; plays what came out greedily.
import { CartPole } from "../../bench/cartPoleClass.mjs";
import { OnPolicyRunner } from "../../dist/exports/runner.js";
import { SyncVecEnv, WorkerVecEnv } from "../../dist/exports/vecEnv.js";

/** Points of a learning curve. */
const points = 20;

const side = (count) => SyncVecEnv(Array.from({ length: count }, () => () => new CartPole()));

/** Environments to train on, by what holds them. */
const vectors = {
  SyncVecEnv: side,
  WorkerVecEnv: (numEnvs) =>
    WorkerVecEnv({
      url: new URL("../../bench/cartPoleClass.mjs", import.meta.url),
      ...{ exportName: "CartPole", numEnvs, numWorkers: 2 },
    }),
};

/** Calls `onSeed` with { seed, seconds, meanReturn, meanLength, curve } for each seed, as trainSeeds does. */
export async function trainHostSeeds(
  vector,
  { algoConfig, runner: { totalTimesteps } },
  seeds,
  numEpisodes,
  onSeed,
) {
  for (const seed of seeds) {
    const env = await vectors[vector](algoConfig.numEnvs);
    const runner = new OnPolicyRunner({ env, evalEnv: side(10), cfg: algoConfig, seed });
    const curve = [];
    runner.addCallback("post_iteration", async ({ totalTimesteps: step }) => {
      if (step < ((curve.length + 1) * totalTimesteps) / points) return;
      curve.push({ step, return: (await runner.eval({ numEpisodes: 10 }))["eval/mean_reward"] });
    });
    const start = performance.now();
    await runner.learn(totalTimesteps);
    const seconds = (performance.now() - start) / 1000;
    const stats = await runner.eval({ numEpisodes });
    await env.close();
    const [meanReturn, meanLength] = [stats["eval/mean_reward"], stats["eval/mean_length"]];
    onSeed({ seed, seconds, meanReturn, meanLength, curve });
  }
}
