// SAC's networks: a squashed Gaussian policy and two critics of observations with actions.
import { ObsNetwork, applyNetwork, initNetwork, type NetworkParams } from "../../agent/index.js";
import { nn, np, random, sizeOf, type Array, type Shape } from "../../array/index.js";
import { TanhNormal, flatRows, initializers, type Tree } from "../../nn/index.js";
import type { ActionBounds } from "./bounds.js";
import type { SACConfig } from "./config.js";
import type { SACNetworks, TwinParams } from "./types.js";

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

/** Fresh parameters of networks that may be the caller's. */
export function initNetworks(
  [actorKey, criticKey]: readonly [Array, Array],
  obsShape: Shape,
  actionDim: number,
  config: SACConfig,
  networks: SACNetworks | undefined,
): { readonly actorParams: Tree; readonly criticParams: TwinParams<Tree> } {
  if (networks === undefined) {
    return {
      actorParams: initActor(actorKey, obsShape, actionDim, config),
      criticParams: initCritics(criticKey, obsShape, actionDim, config),
    };
  }
  const { actor, critic } = networks;
  const [q1, q2] = [...random.split(criticKey)].map((key) =>
    initNetwork("SAC.init", "critic", critic, key, joinedShape(obsShape, actionDim), 1),
  );
  const actorParams = initNetwork("SAC.init", "actor", actor, actorKey, obsShape, 2 * actionDim);
  return { actorParams, criticParams: { q1, q2 } };
}

/** The shape of an observation joined with an action. */
const joinedShape = (obsShape: Shape, actionDim: number): Shape =>
  obsShape.length === 3
    ? [obsShape[0], obsShape[1], obsShape[2] + actionDim]
    : [sizeOf(obsShape) + actionDim];

/** A batch of observations joined with actions, as a critic that is not SAC's own sees it. */
function joined(obs: Array, action: Array): Array {
  if (obs.ndim !== 4) return np.concatenate([flatRows(obs), action], -1);
  const images = obs.dtype === "uint8" ? obs.astype("float32").mul(1 / 255) : obs.astype("float32");
  const [batch, actionDim] = action.shape;
  const channels = np.broadcastTo(action.reshape([batch, 1, 1, actionDim]), [
    ...obs.shape.slice(0, 3),
    actionDim,
  ]);
  return np.concatenate([images, channels], -1);
}

/** The hyperparameters that the policy depends on. */
export type PolicyConfig = Pick<SACConfig, "logStdMin" | "logStdMax">;

/** What the actor says of a batch of observations: actions before they are squashed, each (B, actionDim). */
export function gaussianOf(
  actorParams: Tree,
  obs: Array,
  { actionLow }: ActionBounds,
  { logStdMin, logStdMax }: PolicyConfig,
  networks?: SACNetworks,
): { readonly mean: Array; readonly logStd: Array } {
  const outputs = actorOutputs(actorParams, obs, 2 * actionLow.size, networks);
  const [mean, logStd] = np.split(outputs, 2, -1);
  return { mean, logStd: logStd.clip(logStdMin, logStdMax) };
}

/** The policy at a batch of observations. */
export function policyOf(
  actorParams: Tree,
  obs: Array,
  bounds: ActionBounds,
  config: PolicyConfig,
  networks?: SACNetworks,
): TanhNormal {
  const { mean, logStd } = gaussianOf(actorParams, obs, bounds, config, networks);
  return TanhNormal(mean, logStd, { low: bounds.actionLow, high: bounds.actionHigh });
}

function actorOutputs(params: Tree, obs: Array, size: number, networks: SACNetworks | undefined): Array {
  if (networks !== undefined) return applyNetwork("SAC", "actor", networks.actor, params, obs, size);
  ObsNetwork.check("SAC", "actorParams", params);
  return ObsNetwork.apply(params, obs, { activation: nn.relu });
}

/** What both critics say of a batch of observations with actions, each (B,). */
export const twinValues = (
  { q1, q2 }: TwinParams<Tree>,
  obs: Array,
  action: Array,
  networks?: SACNetworks,
): [Array, Array] => [valueOf(q1, obs, action, networks), valueOf(q2, obs, action, networks)];

function valueOf(params: Tree, obs: Array, action: Array, networks: SACNetworks | undefined): Array {
  if (networks !== undefined) {
    return applyNetwork("SAC", "critic", networks.critic, params, joined(obs, action), 1).slice(":", 0);
  }
  ObsNetwork.check("SAC", "criticParams", params);
  return ObsNetwork.apply(params, obs, { activation: nn.relu, extra: action }).slice(":", 0);
}
