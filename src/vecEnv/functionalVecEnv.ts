// FunctionalVecEnv: a functional environment as several side by side, each step one call of a compiled program.
import { arrayType, check, concrete, describe, fail, rules, tree, type Array } from "../array/index.js";
import { lookAtEnv, render, type Environment } from "../env/index.js";
import { checkIndex, checkSeed } from "./arguments.js";
import { VecEnvError } from "./errors.js";
import { keysOf, plainStep, programsOf, type Carry } from "./functionalPrograms.js";
import { actionProblem, layoutOf } from "./layout.js";
import { Lifecycle } from "./lifecycle.js";
import { treeFromText, treeToText } from "./treeText.js";
import type { HostArray, HostPicture, VecEnv, VecStep } from "./types.js";

/** A vector of a functional environment. It answers at once, never with a promise. */
export interface FunctionalVecEnv<S = unknown, P = unknown> extends VecEnv {
  readonly env: Environment<S, P>;
  readonly params: P;
  reset(seed?: number): HostArray;
  step(actions: HostArray): VecStep;
  render?(index: number): HostPicture;
  getState(): unknown;
  setState(state: unknown): void;
  close(): void;
}

/**
 * `numEnvs` times a functional environment, compiled: `FunctionalVecEnv(...make("CartPole-v1"), 8)`. Environment i
 * depends on the seed plus i alone, not on how many there are. Without a seed, the first reset takes 0.
 */
export function FunctionalVecEnv<S, P>(
  env: Environment<S, P>,
  params: P,
  numEnvs: number,
): FunctionalVecEnv<S, P> {
  const operation = "FunctionalVecEnv";
  check(operation, "the number of environments", numEnvs, rules.whole(1));
  lookAtEnv(operation, env, params);
  const [observationSpace, actionSpace] = [env.observationSpace(params), env.actionSpace(params)];
  const actionLayout = layoutOf(actionSpace);
  const actionType = arrayType([numEnvs, ...actionSpace.shape], actionSpace.dtype);
  const life = new Lifecycle(operation);
  const { begin, advance } = programsOf(env, params);
  let carry: Carry<S> | null = null;

  const begun = (): Carry<S> => carry ?? fail(operation, "there are no episodes yet; call reset() first");
  /** Refuses numbers that are not finite, in the rows that are to be read. */
  const checkFinite = (what: string, values: HostArray, isRead: Uint8Array | null): void => {
    const size = values.length / numEnvs;
    for (let at = 0; at < values.length; at++) {
      if (values[at] - values[at] === 0) continue;
      const index = Math.floor(at / size);
      if (isRead?.[index] === 0) continue;
      const place = size === 1 ? "is" : `at element ${at % size} is`;
      const reason = `${what} ${place} ${values[at]}; it must be finite`;
      throw new VecEnvError(operation, { index, environment: env.name, reason });
    }
  };
  const refuse = (value: unknown): never =>
    fail(
      operation,
      `setState takes what getState gives for ${numEnvs} × ${env.name}, got ${describe(value)}`,
    );

  function reset(seed?: number): HostArray {
    checkSeed(operation, seed);
    return life.call(
      "reset",
      () => {
        const keys = seed === undefined && carry !== null ? carry.keys : keysOf(seed ?? 0, numEnvs);
        const [obs, next] = begin(keys);
        carry = next;
        const values = obs.data() as HostArray;
        checkFinite("the observation of reset", values, null);
        return values;
      },
      { begins: true },
    ) as HostArray;
  }

  function step(actions: HostArray): VecStep {
    const problem = actionProblem(actions, actionLayout, numEnvs);
    if (problem !== null) fail(operation, `step ${problem}`);
    const work = (): VecStep => {
      const [results, next] = advance(begun(), concrete(actionType, actions));
      carry = next;
      const found = plainStep(results);
      const { obs, rewards, dones, extras } = found;
      checkFinite("the reward of step", rewards, null);
      checkFinite("the observation of step", obs, null);
      if (extras.finalObservation !== undefined) {
        checkFinite("the last observation", extras.finalObservation, dones);
      }
      return found;
    };
    return life.call("step", work, { needsReset: true }) as VecStep;
  }

  function setState(state: unknown): void {
    const { env: name, count, arrays } = (state ?? {}) as Record<string, unknown>;
    if (name !== env.name || count !== numEnvs || typeof arrays !== "string") refuse(state);
    const like = carry ?? begin(keysOf(0, numEnvs))[1];
    const found = treeFromText(arrays as string, like) ?? refuse(state);
    void life.call("setState", () => void (carry = found), { begins: true });
  }

  return {
    numEnvs,
    observationSpace,
    actionSpace,
    env,
    params,
    reset,
    step,
    ...(env.render !== undefined && {
      render(index: number): HostPicture {
        checkIndex(operation, index, numEnvs);
        const { states } = begun();
        const own = tree.map((leaf: unknown) => (leaf as Array).slice(index), states) as S;
        return render(env, own, params);
      },
    }),
    getState: () =>
      life.call("getState", () => ({ env: env.name, count: numEnvs, arrays: treeToText(begun()) }), {
        needsReset: true,
        breaks: false,
      }),
    setState,
    close: () => void life.close(),
  };
}
