// SAC's networks by the names that the field has for them. Observations and actions come in batches, (B, …).
import { ObsNetwork, type NetworkParams } from "../../agent/index.js";
import { nn, np, type Array, type Shape } from "../../array/index.js";
import { SACConfig } from "./config.js";
import { initActor, initCritics, twinValues } from "./network.js";
import type { TwinParams } from "./types.js";

type Sizes = Partial<Pick<SACConfig, "hiddenSizes">>;

/** The parameters of a Gaussian policy, before its actions are squashed. */
export type GaussianActor = NetworkParams;

/** From observations to the mean and the logarithm of the standard deviation of actions, each (B, actionDim). */
export const GaussianActor = {
  init: (key: Array, obsShape: Shape, actionDim: number, sizes: Sizes = {}): GaussianActor =>
    initActor(key, obsShape, actionDim, SACConfig(sizes)),
  apply: (
    params: GaussianActor,
    obs: Array,
    limits: Partial<Pick<SACConfig, "logStdMin" | "logStdMax">> = {},
  ): { readonly mean: Array; readonly logStd: Array } => {
    const { logStdMin, logStdMax } = SACConfig(limits);
    const [mean, logStd] = np.split(ObsNetwork.apply(params, obs, { activation: nn.relu }), 2, -1);
    return { mean, logStd: logStd.clip(logStdMin, logStdMax) };
  },
} as const;

/** The parameters of two critics. */
export type TwinQNetwork = TwinParams;

/** From observations with actions to what both critics say: `[q1, q2]`, each (B,). */
export const TwinQNetwork = {
  init: (key: Array, obsShape: Shape, actionDim: number, sizes: Sizes = {}): TwinQNetwork =>
    initCritics(key, obsShape, actionDim, SACConfig(sizes)),
  apply: (params: TwinQNetwork, obs: Array, action: Array): [q1: Array, q2: Array] =>
    twinValues(params, obs, action),
} as const;
