// How a stored policy acts: the algorithms' own functions, with the parameters as constants of the program.
import { algorithmOf, type Acting, type ActionKind, type Noise } from "../algorithms/index.js";
import { np, random, type Array, type Shape } from "../array/index.js";
import { networkActing } from "./network.js";
import type { StoredPolicy } from "./stored.js";
import type { PolicyAlgorithm } from "./types.js";

/** Actions for a batch of observations, and the key moved on. */
export type ActBatch = (obs: Array, rng: Array, explore: boolean) => readonly [actions: Array, rng: Array];

/** What an algorithm says about acting. */
export const actingOf = (algorithm: PolicyAlgorithm): Acting<object, object> =>
  algorithm === "network"
    ? (networkActing as unknown as Acting<object, object>)
    : algorithmOf(algorithm).acting;

/** Actions as the environment takes them. */
function bounded({ algorithm, bounds }: StoredPolicy, actions: Array): Array {
  const isKept = bounds === null || !actingOf(algorithm).isUnbounded;
  return isKept ? actions : np.clip(actions, bounds.low, bounds.high);
}

/** What a policy does with a batch of observations. */
export function actBatchOf(stored: StoredPolicy): ActBatch {
  const acting = actingOf(stored.algorithm);
  const parts = partsOf(stored);
  return (obs, key, explore) => {
    const [actions, rng] = acting.actBatch({ ...stored.state, rng: key }, obs, { ...parts, explore });
    return [bounded(stored, actions), rng];
  };
}

/** Any key: what acts greedily has no use for it. */
export const anyKey = (): Array => random.key(0);

const partsOf = ({ config, networks }: StoredPolicy) => ({ config, networks: networks?.given });

export const actionKindOf = (stored: StoredPolicy): ActionKind =>
  actingOf(stored.algorithm).actionKind(stored.state, stored.obsShape, partsOf(stored));

/** What a policy chooses actions by, for a batch of observations. */
export const outputsOf = (stored: StoredPolicy, obs: Array): Readonly<Record<string, Array>> =>
  actingOf(stored.algorithm).outputs(stored.state, obs, partsOf(stored));

/** The values of a batch of observations; `null` where the policy has no critic of them alone. */
export const valueOf = (stored: StoredPolicy, obs: Array): Array | null =>
  actingOf(stored.algorithm).value?.(stored.state, obs, partsOf(stored)) ?? null;

/** The noise that sampled actions are made from. */
export const noiseOf = (stored: StoredPolicy): Noise =>
  actingOf(stored.algorithm).noise(actionKindOf(stored));

/** Actions that noise makes, for a batch of observations. */
export const sampledOf = (stored: StoredPolicy, obs: Array, noise: Array): Array =>
  bounded(stored, actingOf(stored.algorithm).sampled(stored.state, obs, noise, partsOf(stored)));

type Known = Pick<StoredPolicy, "algorithm" | "state" | "networks">;

/** How many numbers an observation has, as far as the network tells: not for images, nor if it is somebody's own. */
export function obsSizeOf({ algorithm, state, networks }: Known): number | null {
  if (networks !== null) return null;
  const network = actingOf(algorithm).firstNetwork(state);
  if ("cnn" in network) return null;
  const { shape } = network[0].w;
  return shape.length === 2 ? shape[0] : null;
}

/** The shape of observations as far as the agent's state tells: not for images. */
export function obsShapeOf(policy: Known): Shape | null {
  const size = obsSizeOf(policy);
  return policy.state.obsStats?.mean.shape ?? (size === null ? null : [size]);
}
