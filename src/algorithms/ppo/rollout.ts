// Collecting rollouts: a policy plays environments for a fixed number of steps, as one loop.
import { lax, np, random, vmap, type Array, type AxisTree } from "../../array/index.js";
import { configAmong, normalizeObs, type PPORollout } from "../../agent/index.js";
import { PPOConfig } from "./config.js";
import { policyOf, valueOf } from "./network.js";
import type { PPOParams, PPOState } from "./types.js";

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
}

export interface BatchRolloutOptions extends RolloutOptions {
  /** The axes of `envParams` that go along the environments; null, the default, shares them. */
  readonly envParamsAxes?: AxisTree;
}

/** What a rollout leaves: the agent, what happened, where the environments are, and the value there. */
export type Rollout<S> = [
  state: PPOState,
  trajectories: PPORollout,
  obs: Array,
  envState: S,
  lastValue: Array,
];

/** How to play: actions for what is observed, and one step of whatever is played. */
interface Player<S> {
  readonly act: (params: PPOParams, key: Array, obs: Array) => { action: Array; logProb: Array };
  readonly step: (key: Array, state: S, action: Array) => ReturnType<EnvStep<S, unknown>>;
}

/** A rollout of one environment, (T, …). */
export function collectRollout<S, P>(
  state: PPOState,
  envObs: Array,
  envState: S,
  envStepFn: EnvStep<S, P>,
  envParams: P,
  options: RolloutOptions = {},
): Rollout<S> {
  const config = configAmong("PPO.collectRollout", PPOConfig, options);
  const player: Player<S> = {
    act: (params, key, obs) => {
      const { action, logProb } = sampleActions(params, key, obs.slice(null));
      return { action: action.slice(0), logProb: logProb.slice(0) };
    },
    step: (key, current, action) => envStepFn(key, current, action, envParams),
  };
  return play(state, envObs, envState, player, config, 1);
}

/** A rollout of N environments side by side, (T, N, …). `envStepFn` is a step of one of them. */
export function collectRolloutBatch<S, P>(
  state: PPOState,
  envObs: Array,
  envStates: S,
  envStepFn: EnvStep<S, P>,
  envParams: P,
  options: BatchRolloutOptions = {},
): Rollout<S> {
  const { envParamsAxes = null } = options;
  const config = configAmong("PPO.collectRolloutBatch", PPOConfig, options, ["envParamsAxes"]);
  const [environments] = envObs.shape;
  const steps = vmap(envStepFn, [0, 0, 0, envParamsAxes]);
  const player: Player<S> = {
    act: sampleActions,
    step: (key, current, action) => steps(random.split(key, environments), current, action, envParams),
  };
  return play(state, envObs, envStates, player, config, 2);
}

function sampleActions(params: PPOParams, key: Array, obs: Array): { action: Array; logProb: Array } {
  const policy = policyOf(params, obs);
  const action = policy.sample(key);
  return { action, logProb: policy.logProb(action) };
}

function play<S>(
  state: PPOState,
  envObs: Array,
  envState: S,
  { act, step }: Player<S>,
  config: PPOConfig,
  lead: number,
): Rollout<S> {
  const { params } = state;
  const seen = (obs: Array) => normalizeObs(state, obs, config);
  const [last, { cutOff, ...steps }] = lax.scan(
    ({ obs, current, rng }) => {
      const [nextRng, actKey, stepKey] = random.split(rng, 3);
      const { action, logProb } = act(params, actKey, seen(obs));
      const [nextObs, next, reward, done, info] = step(stepKey, current, action);
      return [
        { obs: nextObs, current: next, rng: nextRng },
        { obs, action, logProb, reward: reward.astype("float32"), done, cutOff: cutOffIn(info) },
      ];
    },
    { obs: envObs, current: envState, rng: state.rng },
    null,
    { length: config.nSteps },
  );
  // The critic sees the whole rollout at once, which is faster than step by step.
  const value = valuesOf(params, seen(steps.obs), lead);
  const lastValue = valuesOf(params, seen(last.obs), lead - 1);
  const bootstrap =
    cutOff === null
      ? np.zeros(value.shape)
      : cutOffValues(cutOff, (obs: Array) => valuesOf(params, seen(obs), lead));
  return [{ ...state, rng: last.rng }, { ...steps, value, bootstrap }, last.obs, last.current, lastValue];
}

/** The values of observations with any number of leading axes. */
function valuesOf(params: PPOParams, obs: Array, lead: number): Array {
  const [leading, each] = [obs.shape.slice(0, lead), obs.shape.slice(lead)];
  return valueOf(params, obs.reshape([-1, ...each])).reshape(leading);
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
