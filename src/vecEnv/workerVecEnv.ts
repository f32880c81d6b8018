// WorkerVecEnv: environments that are objects side by side in worker threads, their numbers in shared memory.
import { check, checkOptions, describe, fail, rules } from "../array/index.js";
import { hasThreads, os } from "../node/index.js";
import { checkIndex, checkLimits, checkSeed, checkStates } from "./arguments.js";
import type { GroupBuffers, GroupState } from "./group.js";
import { checkAlike } from "./hostEnvs.js";
import { GatheredInfos } from "./infos.js";
import { actionProblem, layoutOf, newArray } from "./layout.js";
import { Lifecycle } from "./lifecycle.js";
import { stepResult } from "./syncVecEnv.js";
import type { HostPicture, VecEnv, VecStep } from "./types.js";
import { Crew, type Part, type Result } from "./worker/crew.js";
import { memoryOf, type Memory } from "./worker/memory.js";
import { spaceOf } from "./worker/plainSpace.js";
import { maxNames, type Loaded, type NewName } from "./worker/protocol.js";

export interface WorkerVecEnvOptions {
  /** The module that has the environment: `new URL("./snake.js", import.meta.url)`. Each worker imports it. */
  readonly url: string | { readonly href: string };
  /** Its export that makes environments, a class or a function. Default "default". */
  readonly exportName?: string;
  /** Instead of an export: the id under which the module calls `registerHost`. */
  readonly id?: string;
  /** Arguments for the class or function, the same for all or by the environment's index; plain data. Default none. */
  readonly args?: readonly unknown[] | ((index: number) => readonly unknown[]);
  readonly numEnvs: number;
  /** Default: one for each environment, but no more than the machine has cores. */
  readonly numWorkers?: number;
  /**
   * How long a call may take in all environments of a worker together. Default 60,000; Infinity for no limit. Loading
   * the module and making the environments may take a minute in any case.
   */
  readonly timeoutMs?: number;
  /** Steps after which an episode is cut off, for environments that have no such limit of their own. */
  readonly maxEpisodeSteps?: number;
}

export interface WorkerVecEnv extends VecEnv {
  readonly numWorkers: number;
}

const optionNames = [
  "url",
  "exportName",
  "id",
  "args",
  "numEnvs",
  "numWorkers",
  "timeoutMs",
  "maxEpisodeSteps",
];
const operation = "WorkerVecEnv";

/**
 * Environments in worker threads, for those whose steps take long. What they give is, bit for bit, what `SyncVecEnv`
 * gives. Where one of them throws, gives what it must not, ends its thread or does not answer in time, the error
 * names it, and all workers are ended.
 */
export async function WorkerVecEnv(options: WorkerVecEnvOptions): Promise<WorkerVecEnv> {
  const { url, args, numEnvs, numWorkers, timeoutMs, maxEpisodeSteps = null } = checked(options);
  const { exportName = null, id = null } = options;
  const parts = partsOf(numEnvs, numWorkers);
  const crew = new Crew({ operation, parts, timeoutMs });
  try {
    const loaded = (await crew.ask((at) => {
      const { first, count } = parts[at];
      const own = Array.from({ length: count }, (_, index) => args(first + index));
      return { kind: "load", url, exportName, id, args: own, first, maxEpisodeSteps };
    })) as Loaded[];
    const environments = loaded.flatMap((each) => each.environments);
    checkAlike(operation, environments);
    const [observationSpace, actionSpace] = [loaded[0].observationSpace, loaded[0].actionSpace].map(spaceOf);
    const [obs, action] = [layoutOf(observationSpace), layoutOf(actionSpace)];
    const memory = memoryOf({ obs, action, numEnvs, numWorkers });
    await crew.ask((worker) => ({ kind: "share", memory: memory.buffer, worker, numEnvs, numWorkers }));
    crew.share(
      memory,
      environments.map(({ environment }) => environment),
    );
    const results: GroupBuffers = {
      obs: newArray(obs, numEnvs),
      finalObservation: newArray(obs, numEnvs),
      rewards: new Float32Array(numEnvs),
      dones: new Uint8Array(numEnvs),
      terminated: new Uint8Array(numEnvs),
      timeOuts: new Uint8Array(numEnvs),
      waiting: new Uint8Array(numEnvs),
    };
    const told = new ToldNumbers(parts, memory.told, numEnvs);
    const life = new Lifecycle(operation);
    const result = stepResult(results);

    const copyAll = (): void => {
      for (const name of ["obs", "finalObservation", "rewards", "dones", "terminated", "timeOuts"] as const) {
        results[name].set(memory[name]);
      }
    };
    const finish = (): VecStep => {
      copyAll();
      const extras = told.extras();
      return extras === null ? result : { ...result, extras: { ...result.extras, ...extras } };
    };
    const workerOf = (index: number): number =>
      parts.findIndex(({ first, count }) => index >= first && index < first + count);

    return {
      numEnvs,
      numWorkers,
      observationSpace,
      actionSpace,
      reset(seed) {
        checkSeed(operation, seed);
        const begin = async () => {
          await crew.command(() => ({ kind: "reset", seed: seed ?? null }));
          copyAll();
          return results.obs;
        };
        return life.call("reset", begin, { begins: true });
      },
      step(actions) {
        const problem = actionProblem(actions, action, numEnvs);
        if (problem !== null) fail(operation, `step ${problem}`);
        const take = () => {
          memory.actions.set(actions);
          const replies = crew.step();
          if (replies === null) return finish();
          return replies.then((given) => {
            told.learn(given);
            return finish();
          });
        };
        return life.call("step", take, { needsReset: true });
      },
      ...(loaded.every(({ hasRender }) => hasRender) && {
        render(index: number) {
          checkIndex(operation, index, numEnvs);
          const worker = workerOf(index);
          const draw = async () => {
            const at = index - parts[worker].first;
            const [reply] = await crew.command(() => ({ kind: "render", at }), [worker]);
            return reply?.value as HostPicture;
          };
          return life.call("render", draw);
        },
      }),
      ...(loaded.every(({ hasState }) => hasState) && {
        getState: () =>
          life.call("getState", async () => {
            const replies = await crew.command(() => ({ kind: "getState" }));
            return replies.flatMap((reply) => reply?.value as GroupState[]);
          }),
        setState(state: unknown) {
          const states = checkStates(operation, state, numEnvs);
          const put = async () => {
            await crew.command((at) => {
              const { first, count } = parts[at];
              return { kind: "setState", states: states.slice(first, first + count) };
            });
          };
          return life.call("setState", put, { begins: true });
        },
      }),
      close: () => {
        life.close();
        return crew.end(Math.min(timeoutMs, 10_000));
      },
    };
  } catch (error) {
    await crew.end(0).catch(() => undefined);
    throw error;
  }
}

/** Numbers that environments tell, by the names that their workers have told. */
class ToldNumbers {
  private readonly names: NewName[][];
  private readonly infos: GatheredInfos;

  constructor(
    private readonly parts: readonly Part[],
    private readonly numbers: Memory["told"],
    numEnvs: number,
  ) {
    this.names = parts.map(() => []);
    this.infos = new GatheredInfos(numEnvs);
  }

  /** Takes up new names. */
  learn(replies: readonly (Result | null)[]): void {
    for (const [worker, reply] of replies.entries()) this.names[worker].push(...(reply?.names ?? []));
  }

  extras(): ReturnType<GatheredInfos["extras"]> {
    this.infos.begin();
    for (const [worker, { first, count }] of this.parts.entries()) {
      const names = this.names[worker];
      if (names.length === 0) continue;
      for (let index = first; index < first + count; index++) {
        for (let place = 0; place < names.length; place++) {
          const value = this.numbers[index * maxNames + place];
          if (Number.isNaN(value)) continue;
          this.infos[names[place].kind](index, names[place].name, value);
        }
      }
    }
    return this.infos.extras();
  }
}

/** Environments shared out over workers, as evenly as can be. */
const partsOf = (numEnvs: number, numWorkers: number): Part[] =>
  Array.from({ length: numWorkers }, (_, worker) => {
    const [first, end] = [worker, worker + 1].map((at) => Math.floor((at * numEnvs) / numWorkers));
    return { first, count: end - first };
  });

const cores = (): number => (hasThreads() ? os.availableParallelism() : navigator.hardwareConcurrency);

function checked(options: WorkerVecEnvOptions) {
  checkOptions(operation, options, optionNames);
  const { numEnvs, exportName, id, args = [], maxEpisodeSteps, timeoutMs = 60_000 } = options;
  check(operation, "numEnvs", numEnvs, rules.whole(1));
  const numWorkers = options.numWorkers ?? Math.min(numEnvs, cores());
  check(operation, "numWorkers", numWorkers, rules.whole(1));
  if (numWorkers > numEnvs) fail(operation, `numWorkers is ${numWorkers}, more than numEnvs, ${numEnvs}`);
  checkLimits(operation, { timeoutMs, maxEpisodeSteps });
  if (exportName !== undefined && id !== undefined) {
    fail(
      operation,
      "takes exportName, for what the module exports, or id, for what it registers, but not both",
    );
  }
  if (!Array.isArray(args) && typeof args !== "function") {
    fail(
      operation,
      `args must be a list of arguments, or a function of the index that gives one, got ${describe(args)}`,
    );
  }
  const argsOf = typeof args === "function" ? args : () => args as readonly unknown[];
  return { url: checkedUrl(options.url), args: argsOf, numEnvs, numWorkers, timeoutMs, maxEpisodeSteps };
}

function checkedUrl(url: unknown): string {
  const text = typeof url === "string" ? url : url instanceof URL ? url.href : "";
  if (!URL.canParse(text)) {
    fail(
      operation,
      `url must be that of a module, new URL("./snake.js", import.meta.url), got ${describe(url)}`,
    );
  }
  return text;
}
