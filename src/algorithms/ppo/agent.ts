// PPO as a namespace of pure functions.
import {
  AgentState,
  initObsStats,
  initRewardStats,
  jitWithConfig,
  normalizeObs,
  partsAmong,
} from "../../agent/index.js";
import { fail, random, type Array, type Shape } from "../../array/index.js";
import type { Space } from "../../env/index.js";
import type { Tree } from "../../nn/index.js";
import { PPOConfig } from "./config.js";
import { initParams, policyAndValue, policyOutputOf, valueOf } from "./network.js";
import { collectRollout, collectRolloutBatch } from "./rollout.js";
import type { AnyPPOParams, PPONetworks, PPOState, SeparateParams, SharedParams } from "./types.js";
import { optimizerOf, update } from "./update.js";

interface Options {
  /** What the agent was made with, or what in it differs from the defaults. Default: the defaults. */
  readonly config?: Partial<PPOConfig>;
  /** The networks that it was made with, if they are not PPO's own. */
  readonly networks?: PPONetworks | undefined;
}

interface ActOptions extends Options {
  /** Whether to sample (the default) or to take the likeliest action. */
  readonly explore?: boolean;
}

type Acted<P extends AnyPPOParams> = [action: Array, logProb: Array, value: Array, state: PPOState<P>];

const networkNames = ["actor", "critic"] as const;

interface InitOptions<A extends Tree, C extends Tree> {
  /** Networks in place of PPO's own, which `hiddenSizes`, `network` and `sharedBackbone` describe. */
  readonly networks: PPONetworks<A, C>;
}

/** The state of a fresh agent. `actions` is a number of actions or an action space, Discrete or Box. */
function init<A extends Tree, C extends Tree>(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  config: Partial<PPOConfig> | undefined,
  options: InitOptions<A, C>,
): PPOState<SeparateParams<A, C>>;
function init(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  config: Partial<PPOConfig> | undefined,
  options: { readonly networks?: PPONetworks | undefined },
): PPOState<AnyPPOParams>;
function init(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  config?: Partial<PPOConfig> & { readonly sharedBackbone?: false },
): PPOState<SeparateParams>;
function init(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  config: Partial<PPOConfig> & { readonly sharedBackbone: true },
): PPOState<SharedParams>;
function init(rng: Array, obsShape: Shape, actions: number | Space, config?: Partial<PPOConfig>): PPOState;
function init(
  rng: Array,
  obsShape: Shape,
  actions: number | Space,
  given?: Partial<PPOConfig>,
  options: { readonly networks?: PPONetworks | undefined } = {},
): PPOState<AnyPPOParams> {
  const parts = { ...options, config: given };
  const { config, networks } = partsAmong("PPO.init", PPOConfig, parts, networkNames, ["numEnvs"]);
  const [paramsKey, stateKey] = random.split(rng);
  const params = initParams(paramsKey, obsShape, actions, config, networks);
  return {
    ...AgentState.initial(params, optimizerOf(config, config.lr).init(params), stateKey),
    ...initObsStats(obsShape, config),
    ...initRewardStats(config.numEnvs, config),
  };
}

/** Actions for a batch of observations, with their log-probabilities and the observations' values. */
function actBatch<P extends AnyPPOParams>(
  state: PPOState<P>,
  obs: Array,
  options: ActOptions = {},
): Acted<P> {
  const { explore = true } = options;
  const { config, networks } = partsAmong("PPO.actBatch", PPOConfig, options, networkNames, ["explore"]);
  const [rng, key] = random.split(state.rng);
  const [policy, value] = policyAndValue(state.params, normalizeObs(state, obs, config), networks);
  const action = explore ? policy.sample(key) : policy.mode();
  return [action, policy.logProb(action), value, { ...state, rng }];
}

/** An action for one observation, with its log-probability and the observation's value. */
function act<P extends AnyPPOParams>(state: PPOState<P>, obs: Array, options: ActOptions = {}): Acted<P> {
  const [action, logProb, value, next] = actBatch(state, obs.slice(null), options);
  return [action.slice(0), logProb.slice(0), value.slice(0), next];
}

/**
 * Log-probabilities of actions, values of observations and entropies of the policy, each (B,). Observations are
 * taken as they are: where the config normalises them, they must be already.
 */
function evaluateActions(
  params: AnyPPOParams,
  obs: Array,
  actions: Array,
  options: Options = {},
): [logProb: Array, value: Array, entropy: Array] {
  const { networks } = partsAmong("PPO.evaluateActions", PPOConfig, options, networkNames);
  const [policy, value] = policyAndValue(params, obs, networks);
  return [policy.logProb(actions), value, policy.entropy()];
}

/** The values of a batch of observations, (B,). */
function getValueBatch(state: PPOState<AnyPPOParams>, obs: Array, options: Options = {}): Array {
  const { config, networks } = partsAmong("PPO.getValue", PPOConfig, options, networkNames);
  return valueOf(state.params, normalizeObs(state, obs, config), networks);
}

/** The value of one observation. */
const getValue = (state: PPOState<AnyPPOParams>, obs: Array, options: Options = {}): Array =>
  getValueBatch(state, obs.slice(null), options).slice(0);

/** The logits of the policy at a batch of observations, (B, actions). */
function logitsBatch(state: PPOState<AnyPPOParams>, obs: Array, options: Options = {}): Array {
  const { config, networks } = partsAmong("PPO.logits", PPOConfig, options, networkNames);
  if (state.params.logStd !== undefined) {
    fail(
      "PPO.logits",
      "the policy is Gaussian, which has no logits; PPO.act with explore: false gives its mean",
    );
  }
  return policyOutputOf(state.params, normalizeObs(state, obs, config), networks);
}

/** The logits of the policy at one observation, (actions,). */
const logits = (state: PPOState<AnyPPOParams>, obs: Array, options: Options = {}): Array =>
  logitsBatch(state, obs.slice(null), options).slice(0);

/**
 * Proximal policy optimisation. Called by themselves these functions are compiled, once for each config and
 * shape; in a function that is being traced they become part of it.
 */
export const PPO = {
  init,
  act: jitWithConfig(act, 2),
  actBatch: jitWithConfig(actBatch, 2),
  evaluateActions: jitWithConfig(evaluateActions, 3),
  getValue: jitWithConfig(getValue, 2),
  getValueBatch: jitWithConfig(getValueBatch, 2),
  logits: jitWithConfig(logits, 2),
  logitsBatch: jitWithConfig(logitsBatch, 2),
  update: jitWithConfig(update, 3),
  collectRollout: jitWithConfig(collectRollout, 5, 3),
  collectRolloutBatch: jitWithConfig(collectRolloutBatch, 5, 3),
} as const;
