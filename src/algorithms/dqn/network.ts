// DQN's network: from observations to the value of each action.
import { ObsNetwork, applyNetwork, initNetwork, type NetworkParams } from "../../agent/index.js";
import { nn, np, type Array, type Shape } from "../../array/index.js";
import { initializers, type Tree } from "../../nn/index.js";
import type { DQNConfig } from "./config.js";
import type { DQNNetworks } from "./types.js";

/** A fresh Q-network. A dueling one has an output more than there are actions. */
export const initQNetwork = (
  rng: Array,
  obsShape: Shape,
  actions: number,
  { hiddenSizes, network, dueling }: DQNConfig,
): NetworkParams =>
  ObsNetwork.init(rng, obsShape, [...hiddenSizes, actions + (dueling ? 1 : 0)], {
    kernelInit: initializers.orthogonal(Math.SQRT2),
    lastKernelInit: initializers.orthogonal(1),
    kind: network,
  });

/** The same of a network that may be the caller's. */
export const initQ = (
  rng: Array,
  obsShape: Shape,
  actions: number,
  config: DQNConfig,
  networks: DQNNetworks | undefined,
): Tree =>
  networks === undefined
    ? initQNetwork(rng, obsShape, actions, config)
    : initNetwork("DQN.init", "q", networks.q, rng, obsShape, actions + (config.dueling ? 1 : 0));

/** What a network says that may be the caller's. */
function outputsOf(params: Tree, obs: Array, networks: DQNNetworks | undefined): Array {
  if (networks !== undefined) return applyNetwork("DQN", "q", networks.q, params, obs, null);
  ObsNetwork.check("DQN", "params", params);
  return ObsNetwork.apply(params, obs, { activation: nn.relu });
}

/** The value of each action at a batch of observations, (B, actions). */
export function qValues(
  params: Tree,
  obs: Array,
  { dueling }: Pick<DQNConfig, "dueling">,
  networks?: DQNNetworks,
): Array {
  const outputs = outputsOf(params, obs, networks);
  if (!dueling) return outputs;
  // The first output is the observation's value, the others are what each action adds; their mean is taken out.
  const [value, advantage] = [outputs.slice(":", ":1"), outputs.slice(":", "1:")];
  return value.add(advantage.sub(advantage.mean(-1, { keepdims: true })));
}

/** The element of each row that an index names. */
export const pick = (rows: Array, index: Array): Array =>
  np.takeAlongAxis(rows, index.slice(":", null), 1).squeeze(1);
