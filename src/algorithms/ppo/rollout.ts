// Collecting rollouts: a policy plays environments for a fixed number of steps, as one loop.
import { lax, np, random, vmap, type Array, type AxisTree } from "../../array/index.js";
import { normalizeObs, partsAmong, type PPORollout } from "../../agent/index.js";
import { PPOConfig } from "./config.js";
import { policyOf, valueOf } from "./network.js";
import type { AnyPPOParams, PPONetworks, PPOParams, PPOState } from "./types.js";

/** What a step function may say besides its results, for the values of episodes that were cut off. */
export interface StepInfo {
  readonly terminated?: Array;
  readonly truncated?: Array;
  /** The last observation of an episode that ended, where `obs` is the first of the next. */
  readonly terminalObs?: Array;
}

/** One step of one environment that starts over by itself: `env.step` under AutoResetWrapper. */
export type EnvStep<S, P> = (
  key: Array,
  state: S,
  action: Array,
  params: P,
) => readonly [obs: Array, state: S, reward: Array, done: Array, info: object];

export interface RolloutOptions {
  /** What the agent was made with, or what in it differs from the defaults. Default: the defaults. */
  readonly config?: Partial<PPOConfig>;
  /** The networks that it was made with, if they are not PPO's own. */
  readonly networks?: PPONetworks | undefined;
}

export interface BatchRolloutOptions extends RolloutOptions {
  /** The axes of `envParams` that go along the environments; null, the default, shares them. */
  readonly envParamsAxes?: AxisTree;
}

/** What a rollout leaves: the agent, what happened, where the environments are, and the value there. */
export type Rollout<S, N extends AnyPPOParams = PPOParams> = [
  state: PPOState<N>,
  trajectories: PPORollout,
  obs: Array,
  envState: S,
  lastValue: Array,
];

/** How to play: actions for what is observed, and one step of whatever is played. */
interface Player<S> {
  readonly act: (params: AnyPPOParams, key: Array, obs: Array) => { action: Array; logProb: Array };
  readonly step: (key: Array, state: S, action: Array) => ReturnType<EnvStep<S, unknown>>;
}

/** A rollout of one environment, (T, …). */
export function collectRollout<S, P, N extends AnyPPOParams>(
  state: PPOState<N>,
  envObs: Array,
  envState: S,
  envStepFn: EnvStep<S, P>,
  envParams: P,
  options: RolloutOptions = {},
): Rollout<S, N> {
  const { config, networks } = partsAmong("PPO.collectRollout", PPOConfig, options, ["actor", "critic"]);
  const player: Player<S> = {
    act: (params, key, obs) => {
      const { action, logProb } = sampleActions(params, key, obs.slice(null), networks);
      return { action: action.slice(0), logProb: logProb.slice(0) };
    },
    step: (key, current, action) => envStepFn(key, current, action, envParams),
  };
  return play(state, envObs, envState, player, { config, networks }, 1, nothing)[0];
}

/** A rollout of N environments side by side, (T, N, …). `envStepFn` is a step of one of them. */
export function collectRolloutBatch<S, P, N extends AnyPPOParams>(
  state: PPOState<N>,
  envObs: Array,
  envStates: S,
  envStepFn: EnvStep<S, P>,
  envParams: P,
  options: BatchRolloutOptions = {},
): Rollout<S, N> {
  return collectWithInfo(state, envObs, envStates, envStepFn, envParams, options, nothing)[0];
}

/** The same, and with it what `keep` finds in the information of each step of all environments, (T, …). */
export function collectWithInfo<S, P, N extends AnyPPOParams, K>(
  state: PPOState<N>,
  envObs: Array,
  envStates: S,
  envStepFn: EnvStep<S, P>,
  envParams: P,
  options: BatchRolloutOptions,
  keep: (info: object) => K,
): [rollout: Rollout<S, N>, kept: K] {
  const { envParamsAxes = null } = options;
  const names = ["actor", "critic"] as const;
  const { config, networks } = partsAmong("PPO.collectRolloutBatch", PPOConfig, options, names, [
    "envParamsAxes",
  ]);
  const [environments] = envObs.shape;
  const steps = vmap(envStepFn, [0, 0, 0, envParamsAxes]);
  const player: Player<S> = {
    act: (params, key, obs) => sampleActions(params, key, obs, networks),
    step: (key, current, action) => steps(random.split(key, environments), current, action, envParams),
  };
  return play(state, envObs, envStates, player, { config, networks }, 2, keep);
}

const nothing = (): null => null;

function sampleActions(
  params: AnyPPOParams,
  key: Array,
  obs: Array,
  networks: PPONetworks | undefined,
): { action: Array; logProb: Array } {
  const policy = policyOf(params, obs, networks);
  const action = policy.sample(key);
  return { action, logProb: policy.logProb(action) };
}

function play<S, N extends AnyPPOParams, K>(
  state: PPOState<N>,
  envObs: Array,
  envState: S,
  { act, step }: Player<S>,
  { config, networks }: { readonly config: PPOConfig; readonly networks: PPONetworks | undefined },
  lead: number,
  keep: (info: object) => K,
): [rollout: Rollout<S, N>, kept: K] {
  const { params } = state;
  const seen = (obs: Array) => normalizeObs(state, obs, config);
  const [last, { cutOff, kept, ...steps }] = lax.scan(
    ({ obs, current, rng }) => {
      const [nextRng, actKey, stepKey] = random.split(rng, 3);
      const { action, logProb } = act(params, actKey, seen(obs));
      const [nextObs, next, reward, done, info] = step(stepKey, current, action);
      return [
        { obs: nextObs, current: next, rng: nextRng },
        {
          ...{ obs, action, logProb, reward: reward.astype("float32"), done },
          ...{ cutOff: cutOffIn(info), kept: keep(info) },
        },
      ];
    },
    { obs: envObs, current: envState, rng: state.rng },
    null,
    { length: config.nSteps },
  );
  // The critic sees the whole rollout at once, which is faster than step by step.
  const values = (obs: Array, axes: number) => valuesOf(params, seen(obs), axes, networks);
  const value = values(steps.obs, lead);
  const lastValue = values(last.obs, lead - 1);
  const bootstrap =
    cutOff === null ? np.zeros(value.shape) : cutOffValues(cutOff, (obs: Array) => values(obs, lead));
  const trajectories = { ...steps, value, bootstrap };
  return [[{ ...state, rng: last.rng }, trajectories, last.obs, last.current, lastValue], kept];
}

/**
 * The values of observations (T, …) or (T, N, …). The environments come first in the batch that the critic sees, so
 * that devices that have some of them each have a part of the batch.
 */
function valuesOf(params: AnyPPOParams, obs: Array, lead: number, networks: PPONetworks | undefined): Array {
  if (lead < 2) {
    const [leading, each] = [obs.shape.slice(0, lead), obs.shape.slice(lead)];
    return valueOf(params, obs.reshape([-1, ...each]), networks).reshape(leading);
  }
  const [steps, environments, ...each] = obs.shape;
  const rows = np.swapaxes(obs, 0, 1).reshape([-1, ...each]);
  return valueOf(params, rows, networks).reshape([environments, steps]).T;
}

interface CutOff {
  readonly isCut: Array;
  readonly terminalObs: Array;
}

/** Whether an episode was cut off before its end, and what was seen last; null if the step does not say. */
function cutOffIn(info: object): CutOff | null {
  const { terminated, truncated, terminalObs } = info as StepInfo;
  if (truncated === undefined || terminalObs === undefined) return null;
  // What has come to its end at the very limit was not cut off.
  return { isCut: terminated === undefined ? truncated : truncated.and(terminated.not()), terminalObs };
}

/** The values of the last observations where episodes were cut off, 0 elsewhere; nothing is done if none was. */
const cutOffValues = ({ isCut, terminalObs }: CutOff, valuesAt: (obs: Array) => Array): Array =>
  lax.cond(
    isCut.any(),
    () => np.where(isCut, valuesAt(terminalObs), 0),
    () => np.zeros(isCut.shape),
  );
