// How a stored policy acts: the algorithms' own functions, with the parameters as constants of the program.
import { algorithmOf, type ActionKind } from "../algorithms/index.js";
import { np, random, type Array, type Shape } from "../array/index.js";
import type { StoredPolicy } from "./stored.js";

/** Actions for a batch of observations, and the key moved on. */
export type ActBatch = (obs: Array, rng: Array, explore: boolean) => readonly [actions: Array, rng: Array];

/** What a policy does with a batch of observations. */
export function actBatchOf({ algorithm, config, state, bounds, networks }: StoredPolicy): ActBatch {
  const { acting } = algorithmOf(algorithm);
  const parts = partsOf(config, networks);
  return (obs, key, explore) => {
    const [actions, rng] = acting.actBatch({ ...state, rng: key }, obs, { ...parts, explore });
    const isKept = bounds === null || !acting.isUnbounded;
    return [isKept ? actions : np.clip(actions, bounds.low, bounds.high), rng];
  };
}

/** Any key: what acts greedily has no use for it. */
export const anyKey = (): Array => random.key(0);

const partsOf = (config: object, networks: StoredPolicy["networks"]) => ({
  config,
  networks: networks?.given,
});

export const actionKindOf = ({ algorithm, config, state, obsShape, networks }: StoredPolicy): ActionKind =>
  algorithmOf(algorithm).acting.actionKind(state, obsShape, partsOf(config, networks));

type Known = Pick<StoredPolicy, "algorithm" | "state" | "networks">;

/** How many numbers an observation has, as far as the network tells: not for images, nor if it is somebody's own. */
export function obsSizeOf({ algorithm, state, networks }: Known): number | null {
  if (networks !== null) return null;
  const network = algorithmOf(algorithm).acting.firstNetwork(state);
  return "cnn" in network ? null : network[0].w.shape[0];
}

/** The shape of observations as far as the agent's state tells: not for images. */
export function obsShapeOf(policy: Known): Shape | null {
  const size = obsSizeOf(policy);
  return policy.state.obsStats?.mean.shape ?? (size === null ? null : [size]);
}
