// DQN's network by the name that the field has for it.
import type { NetworkParams } from "../../agent/index.js";
import type { Array, Shape } from "../../array/index.js";
import { DQNConfig } from "./config.js";
import { initQNetwork, qValues } from "./network.js";

/** The parameters of a Q-network. */
export type QNetwork = NetworkParams;

/** From observations (B, …) to the values of actions: `QNetwork.apply(params, obs)`, (B, nActions). */
export const QNetwork = {
  init: (
    key: Array,
    obsShape: Shape,
    nActions: number,
    config: Partial<Pick<DQNConfig, "hiddenSizes" | "dueling">> = {},
  ): QNetwork => initQNetwork(key, obsShape, nActions, DQNConfig(config)),
  apply: (params: QNetwork, obs: Array, { dueling = false }: { readonly dueling?: boolean } = {}): Array =>
    qValues(params, obs, { dueling }),
} as const;
