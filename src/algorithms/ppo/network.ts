// PPO's networks: a policy (Categorical or Gaussian) and a value, on networks of their own or a shared one.
import {
  ObsNetwork,
  actionsOf,
  applyNetwork,
  initNetwork,
  type NetworkKind,
  type NetworkParams,
} from "../../agent/index.js";
import { fail, np, random, type Array, type Shape } from "../../array/index.js";
import type { Space } from "../../env/index.js";
import { Categorical, DiagonalNormal, MLP, initializers, type Distribution } from "../../nn/index.js";
import type { PPOConfig } from "./config.js";
import type { AnyPPOParams, PPONetworks, SharedParams } from "./types.js";

const hidden = initializers.orthogonal(Math.SQRT2);
// Nearly equal chances to begin with, and values of the size of rewards.
const policyHead = initializers.orthogonal(0.01);
const valueHead = initializers.orthogonal(1);

/** A fresh network for a policy: logits, or the mean of continuous actions. */
export const initActor = (
  key: Array,
  obsShape: Shape,
  actions: number,
  hiddenSizes: readonly number[],
  kind?: NetworkKind,
): NetworkParams =>
  ObsNetwork.init(key, obsShape, [...hiddenSizes, actions], {
    ...{ kernelInit: hidden, lastKernelInit: policyHead, kind },
  });

/** A fresh network for values. */
export const initCritic = (
  key: Array,
  obsShape: Shape,
  hiddenSizes: readonly number[],
  kind?: NetworkKind,
): NetworkParams =>
  ObsNetwork.init(key, obsShape, [...hiddenSizes, 1], {
    ...{ kernelInit: hidden, lastKernelInit: valueHead, kind },
  });

/** Fresh parameters. Action spaces: a number of actions or Discrete, or a Box with one axis. */
export function initParams(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  { hiddenSizes, network, sharedBackbone }: PPOConfig,
  networks?: PPONetworks,
): AnyPPOParams {
  const { kind, size } = actionsOf("PPO.init", actions);
  const spread = kind === "continuous" ? { logStd: np.zeros([size]) } : {};
  if (networks !== undefined) {
    const [actorKey, criticKey] = random.split(rng);
    return {
      actor: initNetwork("PPO.init", "actor", networks.actor, actorKey, obsShape, size),
      critic: initNetwork("PPO.init", "critic", networks.critic, criticKey, obsShape, 1),
      ...spread,
    };
  }
  if (!sharedBackbone) {
    const [actorKey, criticKey] = random.split(rng);
    return {
      actor: initActor(actorKey, obsShape, size, hiddenSizes, network),
      critic: initCritic(criticKey, obsShape, hiddenSizes, network),
      ...spread,
    };
  }
  const [backboneKey, policyKey, valueKey] = random.split(rng, 3);
  const backbone = ObsNetwork.init(backboneKey, obsShape, hiddenSizes, { kernelInit: hidden, kind: network });
  const features = ObsNetwork.outputSize(backbone, obsShape);
  return {
    backbone,
    policy: MLP.init(policyKey, [features, size], { kernelInit: policyHead }),
    value: MLP.init(valueKey, [features, 1], { kernelInit: valueHead }),
    ...spread,
  };
}

const isShared = (params: AnyPPOParams): params is SharedParams => "backbone" in params;

const toPolicy = (output: Array, { logStd }: AnyPPOParams): Distribution =>
  logStd === undefined ? Categorical(output) : DiagonalNormal(output, logStd);

const features = (params: SharedParams, obs: Array): Array =>
  ObsNetwork.apply(params.backbone, obs, { activation: np.tanh, activateLast: true });

/** What a network of its own says: logits or means of an actor, values (B, 1) of a critic. */
export const plain = (params: NetworkParams, obs: Array): Array =>
  ObsNetwork.apply(params, obs, { activation: np.tanh });

/** What a network says that may be the caller's. */
function outputOf(
  params: AnyPPOParams,
  name: "actor" | "critic",
  obs: Array,
  networks: PPONetworks | undefined,
): Array {
  if (isShared(params)) {
    if (networks !== undefined) {
      fail("PPO", "networks are given, but the state has a shared backbone, which PPO's own networks have");
    }
    return MLP.apply(name === "actor" ? params.policy : params.value, features(params, obs));
  }
  const own = params[name];
  if (networks !== undefined) {
    const size = name === "critic" ? 1 : (params.logStd?.shape[0] ?? null);
    return applyNetwork("PPO", name, networks[name], own, obs, size);
  }
  ObsNetwork.check("PPO", `params.${name}`, own);
  return plain(own, obs);
}

/** The logits of a policy at a batch of observations, or the mean of a Gaussian one. */
export const policyOutputOf = (params: AnyPPOParams, obs: Array, networks?: PPONetworks): Array =>
  outputOf(params, "actor", obs, networks);

/** The policy at a batch of observations. */
export const policyOf = (params: AnyPPOParams, obs: Array, networks?: PPONetworks): Distribution =>
  toPolicy(policyOutputOf(params, obs, networks), params);

/** The values of a batch of observations, (B,). */
export const valueOf = (params: AnyPPOParams, obs: Array, networks?: PPONetworks): Array =>
  outputOf(params, "critic", obs, networks).slice(":", 0);

/** Both at once; a shared backbone runs once. */
export function policyAndValue(
  params: AnyPPOParams,
  obs: Array,
  networks?: PPONetworks,
): [policy: Distribution, value: Array] {
  if (!isShared(params) || networks !== undefined) {
    return [policyOf(params, obs, networks), valueOf(params, obs, networks)];
  }
  const shared = features(params, obs);
  return [toPolicy(MLP.apply(params.policy, shared), params), MLP.apply(params.value, shared).slice(":", 0)];
}
