// Environments that are stepped by one thread: calls them, checks what they give, and writes it into typed arrays.
import { describe } from "../array/index.js";
import { classOf, lateReason, messageOf, VecEnvError } from "./errors.js";
import { tellInfo, type InfoSink } from "./infos.js";
import { actionAt, type Layout } from "./layout.js";
import { obsWriter, type WriteObs } from "./observations.js";
import { isPromise, visitAll } from "./promises.js";
import type { HostArray, HostEnv, HostInfo, HostPicture, MaybePromise } from "./types.js";

/** Where results go; an element, or the elements of an observation, for each environment of the group. */
export interface GroupBuffers {
  readonly obs: HostArray;
  readonly finalObservation: HostArray;
  readonly rewards: Float32Array;
  readonly dones: Uint8Array;
  readonly terminated: Uint8Array;
  readonly timeOuts: Uint8Array;
  /** 1 while an environment owes an answer. */
  readonly waiting: Uint8Array;
}

export interface GroupOptions {
  /** Who speaks in messages. */
  readonly operation: string;
  readonly obs: Layout;
  readonly action: Layout;
  readonly buffers: GroupBuffers;
  readonly infos: InfoSink;
  /** The index of the group's first environment among all. */
  readonly first: number;
  /** Steps after which an episode is cut off; `null` for no limit. */
  readonly maxEpisodeSteps: number | null;
}

/** The state of one environment of a group. */
export interface GroupState {
  readonly state: unknown;
  /** Steps of the episode so far. */
  readonly steps: number;
}

export class EnvGroup {
  private readonly write: WriteObs;
  private readonly infos: (HostInfo | null)[];
  private readonly steps: number[];

  constructor(
    private readonly envs: readonly HostEnv[],
    private readonly options: GroupOptions,
  ) {
    this.write = obsWriter(options.obs);
    this.infos = envs.map(() => null);
    this.steps = envs.map(() => 0);
  }

  /** Begins an episode in each environment. */
  reset(seed: number | undefined): MaybePromise<void> {
    return visitAll(this.envs.length, (at) =>
      this.begin(at, seed === undefined ? undefined : seed + this.options.first + at),
    );
  }

  /** One step in each environment; where an episode ends, the next begins. */
  step(actions: HostArray): MaybePromise<void> {
    const { envs } = this;
    const stepped = visitAll(envs.length, (at) => this.stepOne(at, actions));
    if (isPromise(stepped)) return stepped.then(() => this.tellInfos());
    this.tellInfos();
  }

  /** Copies of the states: what environments do later does not change them. */
  async getStates(): Promise<GroupState[]> {
    const states: GroupState[] = [];
    for (const [at, env] of this.envs.entries()) {
      const state = await this.attempt(at, "getState", async () => structuredClone(await env.getState?.()));
      states.push({ state, steps: this.steps[at] });
    }
    return states;
  }

  async setStates(states: readonly GroupState[]): Promise<void> {
    for (const [at, env] of this.envs.entries()) {
      const { state, steps } = states[at];
      await this.attempt(at, "setState", async () => env.setState?.(structuredClone(state)));
      this.steps[at] = steps;
    }
  }

  async render(at: number): Promise<HostPicture> {
    const picture = await this.attempt(at, "render", async () => this.envs[at].render?.());
    if (picture === undefined) this.fail(at, "render gave nothing");
    return picture;
  }

  /** Closes all environments, whether one of them fails at it or not. */
  async close(): Promise<void> {
    const closings = this.envs.map((env, at) => this.attempt(at, "close", async () => env.close?.()));
    const failed = (await Promise.allSettled(closings)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  /** The failure of environments that owe an answer when their time is over. */
  lateError(timeoutMs: number): VecEnvError {
    const { first, buffers } = this.options;
    const { waiting } = buffers;
    const [at, ...others] = [...this.envs.keys()].filter((index) => waiting[index] === 1);
    const also = others.length === 0 ? "" : `, nor have ${others.map((other) => first + other).join(", ")}`;
    return this.failure(at, lateReason(timeoutMs) + also);
  }

  private stepOne(at: number, actions: HostArray): MaybePromise<void> {
    const action = actionAt(actions, this.options.action, at);
    this.options.buffers.waiting[at] = 1;
    let result: unknown;
    try {
      result = this.envs[at].step(action);
    } catch (error) {
      this.threw(at, "step", error);
    }
    if (!isPromise(result)) return this.takeStep(at, result);
    return result.then(
      (value) => this.takeStep(at, value),
      (error: unknown) => this.threw(at, "step", error),
    );
  }

  private takeStep(at: number, result: unknown): MaybePromise<void> {
    const { buffers, obs, maxEpisodeSteps } = this.options;
    if (!Array.isArray(result) || result.length < 4 || result.length > 5) {
      this.fail(at, `step must give [obs, reward, terminated, truncated, info], got ${describe(result)}`);
    }
    const [given, reward, terminated, truncated, info] = result as unknown[];
    if (typeof reward !== "number" || !Number.isFinite(Math.fround(reward))) {
      this.fail(at, `the reward of step must be a finite number, got ${describe(reward)}`);
    }
    if (typeof terminated !== "boolean") this.notBoolean(at, "terminated", terminated);
    if (typeof truncated !== "boolean") this.notBoolean(at, "truncated", truncated);
    this.infos[at] = this.infoOf(at, "step", info);
    const isOver = ++this.steps[at] === maxEpisodeSteps;
    const isDone = terminated || truncated || isOver;
    buffers.rewards[at] = reward;
    buffers.terminated[at] = terminated ? 1 : 0;
    // What has come to its own end could not have gone on.
    buffers.timeOuts[at] = isDone && !terminated ? 1 : 0;
    buffers.dones[at] = isDone ? 1 : 0;
    const problem = this.write(given, isDone ? buffers.finalObservation : buffers.obs, at * obs.size);
    if (problem !== null) this.fail(at, `the observation of step ${problem}`);
    if (isDone) return this.begin(at, undefined);
    buffers.waiting[at] = 0;
  }

  private begin(at: number, seed: number | undefined): MaybePromise<void> {
    const env = this.envs[at];
    this.options.buffers.waiting[at] = 1;
    let result: unknown;
    try {
      result = seed === undefined ? env.reset() : env.reset(seed);
    } catch (error) {
      this.threw(at, "reset", error);
    }
    if (isPromise(result)) {
      return result.then(
        (value) => this.takeReset(at, value),
        (error: unknown) => this.threw(at, "reset", error),
      );
    }
    this.takeReset(at, result);
  }

  private takeReset(at: number, result: unknown): void {
    const { buffers, obs } = this.options;
    if (!Array.isArray(result) || result.length < 1 || result.length > 2) {
      this.fail(at, `reset must give [obs, info], got ${describe(result)}`);
    }
    const [given, info] = result as unknown[];
    this.infoOf(at, "reset", info);
    const problem = this.write(given, buffers.obs, at * obs.size);
    if (problem !== null) this.fail(at, `the observation of reset ${problem}`);
    this.steps[at] = 0;
    buffers.waiting[at] = 0;
  }

  private infoOf(at: number, method: string, info: unknown): HostInfo | null {
    if (info === undefined || info === null) return null;
    if (typeof info !== "object")
      this.fail(at, `the info of ${method} must be an object, got ${describe(info)}`);
    return info as HostInfo;
  }

  /** In the order of the environments, so that sums do not depend on who answers first. */
  private tellInfos(): void {
    const { infos, options } = this;
    for (let at = 0; at < infos.length; at++) {
      const info = infos[at];
      if (info === null) continue;
      infos[at] = null;
      const problem = tellInfo(options.infos, options.first + at, info);
      if (problem !== null) this.fail(at, `${problem} (of step)`);
    }
  }

  private async attempt<T>(at: number, method: string, call: () => Promise<T>): Promise<T> {
    this.options.buffers.waiting[at] = 1;
    try {
      return await call();
    } catch (error) {
      return this.threw(at, method, error);
    } finally {
      this.options.buffers.waiting[at] = 0;
    }
  }

  private notBoolean(at: number, name: string, value: unknown): never {
    this.fail(at, `${name} of step must be true or false, got ${describe(value)}`);
  }

  private threw(at: number, method: string, cause: unknown): never {
    this.fail(at, `${method} threw: ${messageOf(cause)}`, cause);
  }

  private fail(at: number, reason: string, cause?: unknown): never {
    throw this.failure(at, reason, cause);
  }

  private failure(at: number, reason: string, cause?: unknown): VecEnvError {
    const { operation, first } = this.options;
    return new VecEnvError(operation, {
      index: first + at,
      environment: classOf(this.envs[at]),
      reason,
      cause,
    });
  }
}
