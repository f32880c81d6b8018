// The programs of FunctionalVecEnv, and their results as typed arrays.
import { arrayType, concrete, jit, np, random, vmap, type Array } from "../array/index.js";
import { playedOn, type Environment, type ResetInfo } from "../env/index.js";
import type { HostArray, VecStep } from "./types.js";

/** What is carried from step to step. */
export interface Carry<S> {
  /** A key for each environment. */
  readonly keys: Array;
  readonly states: S;
}

/** The arrays of a step, with the environments along the first axis. */
export interface Results {
  readonly obs: Array;
  readonly reward: Array;
  readonly done: Array;
  readonly terminated: Array;
  readonly truncated: Array;
  readonly finalObservation: Array;
  readonly rewardComponents: Readonly<Record<string, Array>>;
  readonly log: Readonly<Record<string, Array>>;
}

/** The compiled programs: the beginning of episodes, and a step. */
export function programsOf<S, P>(env: Environment<S, P>, params: P) {
  const playing = playedOn(env, params);
  const begin = jit((keys: Array): readonly [obs: Array, carry: Carry<S>] => {
    const [obs, states, next] = vmap((key: Array) => {
      const [nextKey, resetKey] = random.split(key);
      const [firstObs, state] = playing.reset(resetKey, params);
      return [firstObs, state, nextKey] as const;
    })(keys);
    return [obs, { keys: next, states }];
  });
  const advance = jit(({ keys, states }: Carry<S>, actions: Array): readonly [Results, Carry<S>] => {
    const [results, nextStates, next] = vmap((key: Array, state: S, action: Array) => {
      const [nextKey, stepKey] = random.split(key);
      const [obs, nextState, reward, done, info] = playing.step(stepKey, state, action, params);
      const { terminated, truncated, terminalObs, rewardComponents, log } = info as StepInfo;
      const found: Results = {
        obs,
        reward,
        done,
        terminated,
        truncated: np.logicalAnd(truncated, np.logicalNot(terminated)),
        finalObservation: terminalObs,
        rewardComponents: rewardComponents ?? {},
        log: log ?? {},
      };
      return [found, nextState, nextKey] as const;
    })(keys, states, actions);
    return [results, { keys: next, states: nextStates }];
  });
  return { begin, advance };
}

/** What steps of an environment with automatic resets tell. */
interface StepInfo extends ResetInfo {
  readonly rewardComponents?: Readonly<Record<string, Array>>;
  readonly log?: Readonly<Record<string, Array>>;
}

/** The keys of environments, each from the seed plus its index. */
export function keysOf(seed: number, count: number): Array {
  const words = globalThis.Array.from({ length: count }, (_, index) => [...random.key(seed + index).data()]);
  return concrete(arrayType([count, 2], "uint32"), Uint32Array.from(words.flat()));
}

const mean = (values: ArrayLike<number>): number =>
  globalThis.Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

/** A step's results as typed arrays. */
export function plainStep({ rewardComponents, log, ...results }: Results): VecStep {
  const timeOuts = results.truncated.data() as Uint8Array;
  const parts = Object.entries(rewardComponents).map(([name, values]) => [name, values.data()] as const);
  const figures = Object.entries(log).map(([name, values]) => [name, mean(values.data())] as const);
  return {
    obs: results.obs.data() as HostArray,
    rewards: results.reward.data() as Float32Array,
    dones: results.done.data() as Uint8Array,
    extras: {
      timeOuts,
      truncated: timeOuts,
      terminated: results.terminated.data() as Uint8Array,
      finalObservation: results.finalObservation.data() as HostArray,
      ...(parts.length > 0 && { rewardComponents: Object.fromEntries(parts) }),
      ...(figures.length > 0 && { log: Object.fromEntries(figures) }),
    },
  };
}
