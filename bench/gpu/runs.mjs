// The training runs that are measured on a GPU, and ours.
import { jit, random, tree } from "vibe-rl/array";
import { ppoTraining, trainingRuns } from "../agentPrograms.mjs";
import { timeOf } from "../measure.mjs";

/** Environments of PPO, and updates of a run: enough of them to take some milliseconds. */
const ppoRuns = [
  { envs: 4, updates: 195 },
  { envs: 64, updates: 50 },
  { envs: 256, updates: 20 },
  { envs: 1024, updates: 10 },
  { envs: 4096, updates: 5 },
];

/** The length of a longer run of those that fill a buffer first: the difference is learning alone. */
const longer = { dqn: 12_000, sac: 4000 };

export const runs = [
  ...ppoRuns.map(({ envs, updates }) => ({
    ...{ name: `ppo${envs}`, algorithm: "ppo", task: `PPO, ${envs.toLocaleString("en")} environments`, envs },
    ...ppoTraining({ numEnvs: envs }, updates),
  })),
  ...trainingRuns
    .filter(({ name }) => name in longer)
    .map((run) => ({ ...run, algorithm: run.name, more: longer[run.name] })),
];

/** Steps a second, from the milliseconds that a run of a length takes. */
export function rateOf({ count, more, steps }, msOf) {
  const ms = msOf(count);
  return (1000 * (more === undefined ? steps : more - count)) / (more === undefined ? ms : msOf(more) - ms);
}

const rounds = 5;

/** Our steps a second with products of a precision, the milliseconds of the first call, and what was learned. */
export function ours(run, matmulPrecision) {
  const key = random.key(0);
  let [firstMs, learned] = [0, ""];
  const sps = rateOf(run, (count) => {
    const train = jit(run.make(count), { device: "cuda", matmulPrecision });
    /** Runs to the end: results come as soon as the program has been started. */
    const finish = () => tree.map((x) => x.data(), train(key));
    const first = timeOf(() => {
      learned = run.learned(train(key));
    });
    firstMs = Math.max(firstMs, first);
    return Math.min(...Array.from({ length: rounds }, () => timeOf(finish)));
  });
  return { sps, firstMs, learned };
}
