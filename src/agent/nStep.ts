// Returns over several steps, put together when a batch is drawn: the ring keeps single transitions.
import { lax, np, type Array } from "../array/index.js";
import type { ReplayBuffer } from "./replay.js";
import type { ReplayBatch, Transition } from "./types.js";

/** A transition that knows whether its episode ended with it, for whatever reason. */
export interface SequelTransition extends Transition {
  readonly ended: Array;
}

export interface NStepOptions {
  /** Steps whose rewards are added up, at most. */
  readonly nSteps: number;
  /** Discount for each step. */
  readonly gamma: number | Array;
  /** Environments whose transitions were pushed in turn: a transition's sequel is so many rows later. */
  readonly numEnvs: number;
}

/**
 * The transitions at some places of a ring, each with what followed it in its episode: rewards are summed over up to
 * `nSteps` steps, `nextObs` and `done` are those of the last one, and `discount` is what lies beyond it counts. Sums
 * stop early where the episode ended or was cut off, and at the newest transition.
 *
 *     reward = r[0] + gamma · r[1] + … + gamma^(m − 1) · r[m − 1],   discount = gamma^m,   m ≤ nSteps
 */
export function nStepBatch(
  { data, next }: ReplayBuffer<SequelTransition>,
  places: Array,
  { nSteps, gamma, numEnvs }: NStepOptions,
): ReplayBatch {
  const [capacity] = data.reward.shape;
  const rows = (ring: Array, at: Array) => np.take(ring, at, 0);
  const newer = next.sub(1).sub(places).mod(capacity);
  const first = {
    last: places,
    reward: rows(data.reward, places).astype("float32"),
    discount: np.broadcastTo(np.array(gamma, { dtype: "float32" }), places.shape),
    goesOn: rows(data.ended, places).not(),
  };
  const { last, reward, discount } = lax.foriLoop(
    1,
    nSteps,
    (step, sum) => {
      const ahead = step.mul(numEnvs);
      const place = places.add(ahead).mod(capacity);
      const isThere = sum.goesOn.and(newer.greaterEqual(ahead));
      return {
        last: np.where(isThere, place, sum.last),
        reward: np.where(isThere, sum.reward.add(sum.discount.mul(rows(data.reward, place))), sum.reward),
        discount: np.where(isThere, sum.discount.mul(gamma), sum.discount),
        goesOn: isThere.and(rows(data.ended, place).not()),
      };
    },
    first,
  );
  return {
    obs: rows(data.obs, places),
    action: rows(data.action, places),
    reward,
    nextObs: rows(data.nextObs, last),
    done: rows(data.done, last),
    discount,
  };
}
