// PPO's networks by the names that the field has for them: parameters to make, and functions to apply them with.
// Observations come in batches, (B, …).
import type { NetworkParams } from "../../agent/index.js";
import type { Array, Shape } from "../../array/index.js";
import type { Space } from "../../env/index.js";
import type { Distribution } from "../../nn/index.js";
import { PPOConfig } from "./config.js";
import { initActor, initCritic, initParams, plain, policyAndValue } from "./network.js";
import type { SeparateParams, SharedParams } from "./types.js";

type Sizes = Partial<Pick<PPOConfig, "hiddenSizes">>;

/** The parameters of a policy with logits. */
export type ActorCategorical = NetworkParams;

/** From observations to logits: `ActorCategorical.apply(params, obs)`, (B, nActions). */
export const ActorCategorical = {
  init: (key: Array, obsShape: Shape, nActions: number, sizes?: Sizes): ActorCategorical =>
    initActor(key, obsShape, nActions, PPOConfig(sizes).hiddenSizes),
  apply: (params: ActorCategorical, obs: Array): Array => plain(params, obs),
} as const;

/** The parameters of a value network. */
export type Critic = NetworkParams;

/** From observations to values: `Critic.apply(params, obs)`, (B,). */
export const Critic = {
  init: (key: Array, obsShape: Shape, sizes?: Sizes): Critic =>
    initCritic(key, obsShape, PPOConfig(sizes).hiddenSizes),
  apply: (params: Critic, obs: Array): Array => plain(params, obs).slice(":", 0),
} as const;

/** An actor and a critic with networks of their own. */
export type ActorCritic = SeparateParams;

/** What `PPO.init` makes: `ActorCritic.apply(params, obs)` gives the policy and the values (B,). */
export const ActorCritic = {
  init: (key: Array, obsShape: Shape, actions: number | Space, sizes?: Sizes): ActorCritic =>
    initParams(key, obsShape, actions, PPOConfig(sizes)) as ActorCritic,
  apply: (params: ActorCritic, obs: Array): [policy: Distribution, value: Array] =>
    policyAndValue(params, obs),
} as const;

/** An actor and a critic that share all layers but the last. */
export type ActorCriticShared = SharedParams;

/** What `PPO.init` makes where `sharedBackbone` is true. */
export const ActorCriticShared = {
  init: (key: Array, obsShape: Shape, actions: number | Space, sizes?: Sizes): ActorCriticShared => {
    const config = PPOConfig({ ...sizes, sharedBackbone: true });
    return initParams(key, obsShape, actions, config) as ActorCriticShared;
  },
  apply: (params: ActorCriticShared, obs: Array): [policy: Distribution, value: Array] =>
    policyAndValue(params, obs),
} as const;
