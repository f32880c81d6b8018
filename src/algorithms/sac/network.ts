// SAC's networks: a squashed Gaussian policy and two critics of observations with actions.
import { ObsNetwork, type NetworkParams } from "../../agent/index.js";
import { nn, np, random, type Array, type Shape } from "../../array/index.js";
import { TanhNormal, initializers } from "../../nn/index.js";
import type { ActionBounds } from "./bounds.js";
import type { SACConfig } from "./config.js";
import type { TwinParams } from "./types.js";

const hidden = initializers.orthogonal(Math.SQRT2);

/** A fresh actor: for each component of an action a mean and the logarithm of a standard deviation. */
export const initActor = (
  rng: Array,
  obsShape: Shape,
  actionDim: number,
  { hiddenSizes, network }: SACConfig,
): NetworkParams =>
  ObsNetwork.init(rng, obsShape, [...hiddenSizes, 2 * actionDim], {
    kernelInit: hidden,
    lastKernelInit: initializers.orthogonal(0.01),
    kind: network,
  });

/** Two fresh critics. */
export function initCritics(
  rng: Array,
  obsShape: Shape,
  actionDim: number,
  { hiddenSizes, network }: SACConfig,
): TwinParams {
  const [q1, q2] = [...random.split(rng)].map((key) =>
    ObsNetwork.init(key, obsShape, [...hiddenSizes, 1], {
      kernelInit: hidden,
      lastKernelInit: initializers.orthogonal(1),
      extraInputs: actionDim,
      kind: network,
    }),
  );
  return { q1, q2 };
}

/** The hyperparameters that the policy depends on. */
export type PolicyConfig = Pick<SACConfig, "logStdMin" | "logStdMax">;

/** The policy at a batch of observations. */
export function policyOf(
  actorParams: NetworkParams,
  obs: Array,
  { actionLow: low, actionHigh: high }: ActionBounds,
  { logStdMin, logStdMax }: PolicyConfig,
): TanhNormal {
  const outputs = ObsNetwork.apply(actorParams, obs, { activation: nn.relu });
  const [mean, logStd] = np.split(outputs, 2, -1);
  return TanhNormal(mean, logStd.clip(logStdMin, logStdMax), { low, high });
}

/** What both critics say of a batch of observations with actions, each (B,). */
export const twinValues = ({ q1, q2 }: TwinParams, obs: Array, action: Array): [Array, Array] => [
  valueOf(q1, obs, action),
  valueOf(q2, obs, action),
];

const valueOf = (params: NetworkParams, obs: Array, action: Array): Array =>
  ObsNetwork.apply(params, obs, { activation: nn.relu, extra: action }).slice(":", 0);
