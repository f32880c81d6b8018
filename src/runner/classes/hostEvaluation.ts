// Evaluation on environments that are objects: every one of them plays its share of the episodes.
import type { TypedArray } from "../../array/index.js";
import type { Space } from "../../env/index.js";
import type { HostArray } from "../../vecEnv/index.js";
import { actionWriter, type ActionWriter } from "./hostActions.js";
import type { HostEnvs } from "./hostEnvs.js";
import type { EpisodeResults } from "./rollouts.js";

interface Options {
  readonly numEpisodes: number;
  /** Episodes longer than this count as far as they went. */
  readonly maxSteps: number;
  readonly seed: number;
}

/** Plays episodes from fresh starts. */
export async function playEpisodes(
  envs: HostEnvs,
  act: (obs: HostArray) => TypedArray,
  actions: Space,
  { numEpisodes, maxSteps, seed }: Options,
): Promise<EpisodeResults> {
  const results: Lists = { rewards: [], lengths: [] };
  // An environment whose episode does not end plays no other before all begin anew.
  for (let round = 0; results.rewards.length < numEpisodes; round++) {
    const count = numEpisodes - results.rewards.length;
    const options = { numEpisodes: count, maxSteps, seed: seed + round * envs.numEnvs };
    await playRound(envs, act, actionWriter(actions, envs.numEnvs), options, results);
  }
  return results;
}

type Lists = { readonly [K in keyof EpisodeResults]: number[] };

/** Each environment has a share of the episodes and no more counts: the first that end anywhere would be the short ones. */
async function playRound(
  envs: HostEnvs,
  act: (obs: HostArray) => TypedArray,
  write: ActionWriter,
  { numEpisodes, maxSteps, seed }: Options,
  results: Lists,
): Promise<void> {
  const { numEnvs } = envs;
  const shares = globalThis.Array.from({ length: numEnvs }, (_, env) =>
    Math.floor((numEpisodes + numEnvs - 1 - env) / numEnvs),
  );
  const [totals, lengths] = [new Float64Array(numEnvs), new Float64Array(numEnvs)];
  let obs = await envs.reset(seed);
  while (shares.some((share) => share > 0)) {
    const stepped = envs.step(write(act(obs)));
    const { rewards, dones, obs: next } = "then" in stepped ? await stepped : stepped;
    for (let env = 0; env < numEnvs; env++) {
      if (shares[env] === 0) continue;
      totals[env] += rewards[env];
      lengths[env]++;
      const isOver = dones[env] !== 0;
      if (!isOver && lengths[env] < maxSteps) continue;
      results.rewards.push(totals[env]);
      results.lengths.push(lengths[env]);
      shares[env] = isOver ? shares[env] - 1 : 0;
      totals[env] = 0;
      lengths[env] = 0;
    }
    obs = next;
  }
}
