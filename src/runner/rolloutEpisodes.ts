// The episodes of PPO's rollouts: added up along the steps in the compiled program, read on the host where they ended.
import { lax, np, type Array } from "../array/index.js";
import type { Episodes } from "./gathered.js";

/** What the episodes under way have brought so far, for each environment. */
export interface RunningEpisodes {
  readonly total: Array;
  readonly length: Array;
}

/** For each step and environment of a rollout: whether an episode ended, and what it had brought by then. */
export interface StepTotals {
  readonly done: Array;
  readonly returns: Array;
  readonly lengths: Array;
}

/** Environments that have just begun. */
export const noneRunning = (numEnvs: number): RunningEpisodes => ({
  total: np.zeros([numEnvs]),
  length: np.zeros([numEnvs]),
});

/** Adds up the rewards of a rollout, (T, N). */
export function addUp(
  running: RunningEpisodes,
  { reward, done }: { readonly reward: Array; readonly done: Array },
): readonly [RunningEpisodes, StepTotals] {
  const [after, totals] = lax.scan(
    ({ total, length }, step: { readonly reward: Array; readonly done: Array }) => {
      const [returns, lengths] = [total.add(step.reward), length.add(1)];
      const next = { total: np.where(step.done, 0, returns), length: np.where(step.done, 0, lengths) };
      return [next, { returns, lengths }];
    },
    running,
    { reward, done },
  );
  return [after, { ...totals, done }];
}

/** The episodes that ended in the first rollouts of a record, (…, T, N), in order. */
export function endedIn({ done, returns, lengths }: StepTotals, rollouts: number): Episodes {
  const [nSteps, numEnvs] = done.shape.slice(-2);
  // Seeds side by side have their rollouts one behind the other, all of the same steps.
  const perRollout = done.size / done.shape[0];
  const [isOver, total, length] = [done.data(), returns.data(), lengths.data()];
  const ended: { readonly [K in keyof Episodes]: number[] } = { returns: [], lengths: [], steps: [] };
  for (let at = 0; at < rollouts * perRollout; at++) {
    if (isOver[at] === 0) continue;
    const rollout = Math.floor(at / perRollout);
    const step = Math.floor(at / numEnvs) % nSteps;
    ended.returns.push(total[at]);
    ended.lengths.push(length[at]);
    ended.steps.push((rollout * nSteps + step + 1) * numEnvs);
  }
  return ended;
}
