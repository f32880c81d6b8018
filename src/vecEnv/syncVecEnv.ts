// SyncVecEnv: environments that are objects side by side, stepped one after the other in this thread.
import { checkOptions, fail } from "../array/index.js";
import { checkIndex, checkLimits, checkSeed, checkStates } from "./arguments.js";
import { EnvGroup, type GroupBuffers } from "./group.js";
import { makeEnvs } from "./hostEnvs.js";
import { GatheredInfos } from "./infos.js";
import { actionProblem, layoutOf, newArray } from "./layout.js";
import { Lifecycle } from "./lifecycle.js";
import { isPromise, within } from "./promises.js";
import type { HostEnv, MaybePromise, VecEnv, VecStep } from "./types.js";

export interface SyncVecEnvOptions {
  /**
   * How long environments that answer with promises may take for a call. Default 60,000; Infinity for no limit. One
   * that computes without an end holds up the thread that would notice; `WorkerVecEnv` ends such.
   */
  readonly timeoutMs?: number;
  /** Steps after which an episode is cut off, for environments that have no such limit of their own. */
  readonly maxEpisodeSteps?: number;
}

export interface SyncVecEnv extends VecEnv {
  /** The environments themselves. */
  readonly envs: readonly HostEnv[];
}

/**
 * Environments side by side in this thread: `SyncVecEnv([() => new Snake(), () => new Snake()])`. Where no environment
 * answers with a promise, `reset` and `step` do not either; those that do are waited for together.
 */
export function SyncVecEnv(
  factories: readonly (() => HostEnv)[],
  options: SyncVecEnvOptions = {},
): SyncVecEnv {
  const operation = "SyncVecEnv";
  checkOptions(operation, options, ["timeoutMs", "maxEpisodeSteps"]);
  const { timeoutMs = 60_000, maxEpisodeSteps } = options;
  checkLimits(operation, { timeoutMs, maxEpisodeSteps });
  const envs = makeEnvs(operation, factories);
  const numEnvs = envs.length;
  const { observationSpace, actionSpace } = envs[0];
  const [obsLayout, actionLayout] = [layoutOf(observationSpace), layoutOf(actionSpace)];
  const infos = new GatheredInfos(numEnvs);
  const buffers: GroupBuffers = {
    obs: newArray(obsLayout, numEnvs),
    finalObservation: newArray(obsLayout, numEnvs),
    rewards: new Float32Array(numEnvs),
    dones: new Uint8Array(numEnvs),
    terminated: new Uint8Array(numEnvs),
    timeOuts: new Uint8Array(numEnvs),
    waiting: new Uint8Array(numEnvs),
  };
  const group = new EnvGroup(envs, {
    operation,
    obs: obsLayout,
    action: actionLayout,
    buffers,
    infos,
    first: 0,
    maxEpisodeSteps: maxEpisodeSteps ?? null,
  });
  const life = new Lifecycle(operation);
  const inTime = <T>(answer: MaybePromise<T>): MaybePromise<T> =>
    within(timeoutMs, answer, () => group.lateError(timeoutMs));
  const result = stepResult(buffers);
  const finish = (): VecStep => {
    const told = infos.extras();
    return told === null ? result : { ...result, extras: { ...result.extras, ...told } };
  };
  let closing: MaybePromise<void> | null = null;

  return {
    numEnvs,
    observationSpace,
    actionSpace,
    envs,
    reset(seed) {
      checkSeed(operation, seed);
      const start = () => {
        const begun = inTime(group.reset(seed));
        return isPromise(begun) ? begun.then(() => buffers.obs) : buffers.obs;
      };
      return life.call("reset", start, { begins: true });
    },
    step(actions) {
      const problem = actionProblem(actions, actionLayout, numEnvs);
      if (problem !== null) fail(operation, `step ${problem}`);
      const take = () => {
        infos.begin();
        const stepped = inTime(group.step(actions));
        return isPromise(stepped) ? stepped.then(finish) : finish();
      };
      return life.call("step", take, { needsReset: true });
    },
    ...(envs.every((env) => env.render !== undefined) && {
      render(index: number) {
        checkIndex(operation, index, numEnvs);
        return life.call("render", () => inTime(group.render(index)), { breaks: false });
      },
    }),
    ...(envs.every((env) => env.getState !== undefined) && {
      getState: () => life.call("getState", () => inTime(group.getStates()), { breaks: false }),
      setState(state: unknown) {
        const states = checkStates(operation, state, numEnvs);
        return life.call("setState", () => inTime(group.setStates(states)), { begins: true });
      },
    }),
    close: () => {
      life.close();
      return (closing ??= inTime(group.close()));
    },
  };
}

/** What a step gives where nothing is told: always the same, since the arrays are. */
export function stepResult(buffers: GroupBuffers): VecStep {
  const { obs, rewards, dones, timeOuts, terminated, finalObservation } = buffers;
  const extras = { timeOuts, truncated: timeOuts, terminated, finalObservation };
  return { obs, rewards, dones, extras };
}
