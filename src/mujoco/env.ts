// A simulation in MuJoCo as an environment that is an object.
import { Box } from "../env/index.js";
import type { HostAction, HostEnv, HostInfo } from "../vecEnv/index.js";
import { fail } from "./errors.js";
import { generatorFrom, seeded, type SeededGenerator } from "./generator.js";
import { actionSpaceOf, startPhysics } from "./physics.js";
import { drawScene, readScene, sideCamera } from "./picture/index.js";
import { readState, wordCount, writeState } from "./state.js";
import { checkSavedState, type MujocoState } from "./savedState.js";
import { observeState, type MujocoTask } from "./task.js";
import type { Mujoco, Physics } from "./types.js";

/** MuJoCo's mjMAXVAL. */
const largestControl = 1e10;

/** What a step of a MuJoCo environment gives. */
export type MujocoStep = [
  obs: Float32Array,
  reward: number,
  terminated: boolean,
  truncated: boolean,
  info: Required<Pick<HostInfo, "rewardComponents">> & HostInfo,
];

/** A task in MuJoCo. It holds memory of MuJoCo's until `close()`. */
export class MujocoEnv implements HostEnv {
  readonly observationSpace: Box;
  readonly actionSpace: Box;
  /** The model and the simulation, to look at and to change. */
  readonly physics: Physics;
  readonly #frameSkip: number;
  readonly #maxSteps: number;
  readonly #operation: string;
  readonly #low: ArrayLike<number>;
  readonly #high: ArrayLike<number>;
  #random: SeededGenerator | null = null;
  #steps = 0;
  #hasStarted = false;

  constructor(
    mujoco: Mujoco,
    readonly task: MujocoTask,
  ) {
    const { frameSkip = 1, maxSteps = 1000 } = task;
    this.#operation = `MujocoEnv ${task.name}`;
    this.#frameSkip = this.#checkCount("frameSkip", frameSkip);
    this.#maxSteps = maxSteps === Infinity ? maxSteps : this.#checkCount("maxSteps", maxSteps);
    this.physics = startPhysics(this.#operation, mujoco, task.model, this.#frameSkip);
    try {
      this.actionSpace = actionSpaceOf(this.#operation, this.physics.model);
      this.observationSpace = Box({ shape: [this.#observe().length] });
    } catch (error) {
      this.close();
      throw error;
    }
    this.#low = this.actionSpace.low.data();
    this.#high = this.actionSpace.high.data();
  }

  /** Starts an episode; the first one without a seed draws one. */
  reset(seed?: number): [obs: Float32Array, info: HostInfo] {
    this.#checkOpen();
    const random = this.#randomFrom(seed);
    const { mujoco, model, data } = this.physics;
    mujoco.mj_resetData(model, data);
    this.task.start?.(this.physics, random);
    mujoco.mj_forward(model, data);
    this.#steps = 0;
    this.#hasStarted = true;
    return [this.#checkedObservation(), {}];
  }

  step(action: HostAction | readonly number[]): MujocoStep {
    this.#checkOpen();
    if (!this.#hasStarted) fail(this.#operation, "call reset() before the first step()");
    const { mujoco, model, data } = this.physics;
    const bounded = this.#bounded(action);
    const before = data.qpos.slice();
    const end = data.time + this.physics.dt;
    data.ctrl.set(bounded);
    for (let count = 0; count < this.#frameSkip; count++) mujoco.mj_step(model, data);
    this.#steps++;
    // MuJoCo starts a simulation that has become unstable over again, and says so nowhere else.
    if (!(data.time > end - model.opt.timestep / 2)) this.#failUnstable();
    const obs = this.#checkedObservation();
    const { rewards, terminated, log } = this.task.outcome({
      physics: this.physics,
      action: bounded,
      before,
    });
    const reward = Object.values(rewards).reduce((sum, part) => sum + part, 0);
    const truncated = !terminated && this.#steps >= this.#maxSteps;
    const info = log === undefined ? { rewardComponents: rewards } : { rewardComponents: rewards, log };
    return [obs, reward, terminated, truncated, info];
  }

  /** A picture from the side, as SVG. */
  render(): string {
    this.#checkOpen();
    const camera = sideCamera(this.#operation, this.physics, this.task.camera);
    return drawScene(readScene(this.physics), camera);
  }

  /** Everything that the future depends on; it goes through JSON without a loss. */
  getState(): MujocoState {
    this.#checkOpen();
    return {
      task: this.task.name,
      physics: readState(this.physics),
      steps: this.#steps,
      hasStarted: this.#hasStarted,
      random: this.#random?.getState() ?? null,
    };
  }

  setState(state: unknown): void {
    this.#checkOpen();
    const saved = checkSavedState(this.#operation, state, this.task.name, wordCount(this.physics));
    writeState(this.physics, saved.physics);
    this.#steps = saved.steps;
    this.#hasStarted = saved.hasStarted;
    this.#random = saved.random === null ? null : generatorFrom(saved.random);
  }

  /** Frees MuJoCo's memory. After that, nothing else can be called. */
  close(): void {
    const { model, data } = this.physics;
    for (const native of [data, model]) if (!native.isDeleted()) native.delete();
  }

  #observe(): Float32Array {
    return Float32Array.from((this.task.observe ?? observeState)(this.physics));
  }

  #checkedObservation(): Float32Array {
    const obs = this.#observe();
    const { shape } = this.observationSpace;
    if (obs.length !== shape[0]) {
      fail(this.#operation, `observe() gave ${obs.length} numbers, where it gave ${shape[0]} at first`);
    }
    if (!obs.every(Number.isFinite)) this.#failUnstable(` (it observes ${obs.join(", ")})`);
    return obs;
  }

  #failUnstable(more = ""): never {
    fail(
      this.#operation,
      `the simulation became unstable in step ${this.#steps} of the episode${more}; ` +
        'a smaller <option timestep="…"/>, weaker actuators or more damping in the model may help',
    );
  }

  #randomFrom(seed: number | undefined): SeededGenerator {
    if (seed !== undefined && !(Number.isSafeInteger(seed) && seed >= 0)) {
      fail(this.#operation, `a seed must be a whole number of at least 0, got ${String(seed)}`);
    }
    if (seed !== undefined) this.#random = generatorFrom(seeded(seed));
    this.#random ??= generatorFrom(seeded(Math.floor(Math.random() * 2 ** 32)));
    return this.#random;
  }

  #bounded(action: HostAction | readonly number[]): Float32Array {
    const { nu } = this.physics.model;
    const given = typeof action === "number" ? [action] : action;
    const bounded = Float32Array.from(given, (value, index) =>
      Math.min(Math.max(value, this.#low[index]), this.#high[index]),
    );
    // Controls that MuJoCo finds too large it takes for 0, without a word.
    if (given.length !== nu || !bounded.every((value) => Math.abs(value) < largestControl)) {
      const shown = [...given].join(", ");
      fail(this.#operation, `an action must be ${nu} finite number${nu === 1 ? "" : "s"}, got [${shown}]`);
    }
    return bounded;
  }

  #checkCount(name: string, value: number): number {
    if (Number.isInteger(value) && value >= 1) return value;
    return fail(this.#operation, `${name} must be a whole number of at least 1, got ${String(value)}`);
  }

  #checkOpen(): void {
    if (this.physics.data.isDeleted()) fail(this.#operation, "it is closed; make a new one");
  }
}
