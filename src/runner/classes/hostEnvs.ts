// Environments that are objects, as runners play them: what they give is looked at, and where they fail it is said where.
import { sizeOf } from "../../array/index.js";
import type { HostArray, MaybePromise, VecEnv, VecStep } from "../../vecEnv/index.js";

/** Environments have failed, or given what they must not; `cause` is what they threw. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}

const storages = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array, bool: Uint8Array } as const;

const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof value === "object" && value !== null && "then" in value;

export class HostEnvs {
  readonly numEnvs: number;
  /** Elements of one observation. */
  readonly obsSize: number;
  /** Steps of all environments, for messages. */
  private steps = 0;

  constructor(
    private readonly operation: string,
    readonly vec: VecEnv,
  ) {
    this.numEnvs = vec.numEnvs;
    this.obsSize = sizeOf(vec.observationSpace.shape);
  }

  /** Starts episodes everywhere. */
  reset(seed: number): MaybePromise<HostArray> {
    return this.guarded(
      "reset",
      () => this.vec.reset(seed),
      (obs) => {
        this.checkObs("reset", "obs", obs);
        return obs;
      },
    );
  }

  step(actions: HostArray): MaybePromise<VecStep> {
    this.steps++;
    return this.guarded(
      "step",
      () => this.vec.step(actions),
      (step) => {
        this.checkStep(step);
        return step;
      },
    );
  }

  private guarded<T>(what: string, call: () => MaybePromise<T>, look: (value: T) => T): MaybePromise<T> {
    const failed = (cause: unknown): never => {
      if (cause instanceof EnvironmentError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new EnvironmentError(`${this.place(what)}: the environments failed: ${reason}`, { cause });
    };
    try {
      const value = call();
      return isPromise(value) ? value.then(look).catch(failed) : look(value);
    } catch (cause) {
      return failed(cause);
    }
  }

  private place(what: string): string {
    return `${this.operation}: ${what}${what === "step" ? ` ${this.steps}` : ""}`;
  }

  private checkStep({ obs, rewards, dones, extras }: VecStep): void {
    this.checkObs("step", "obs", obs);
    this.checkCount("rewards", rewards);
    this.checkCount("dones", dones);
    if (typeof extras !== "object" || extras === null) this.refuse("extras", "is no object");
    this.checkCount("extras.timeOuts", extras.timeOuts);
    this.checkFinite("step", "rewards", rewards, 1);
    if (extras.finalObservation !== undefined) this.checkFinal(extras.finalObservation, dones);
  }

  /** Last observations are looked at where episodes have ended; elsewhere they may be anything. */
  private checkFinal(obs: HostArray, dones: Uint8Array): void {
    const name = "extras.finalObservation";
    this.checkShape("step", name, obs);
    if (!(obs instanceof Float32Array)) return;
    for (let env = 0; env < this.numEnvs; env++) {
      if (dones[env] === 0) continue;
      const row = obs.subarray(env * this.obsSize, (env + 1) * this.obsSize);
      const at = row.findIndex((value) => !Number.isFinite(value));
      if (at >= 0) {
        this.refuse(`${name} of environment ${env}`, `must be finite, got ${row[at]} in place ${at}`);
      }
    }
  }

  private refuse(name: string, problem: string, what = "step"): never {
    throw new EnvironmentError(`${this.place(what)}: ${name} ${problem}`);
  }

  private checkCount(name: string, list: unknown): void {
    if (ArrayBuffer.isView(list) && (list as HostArray).length === this.numEnvs) return;
    const got = ArrayBuffer.isView(list) ? `${(list as HostArray).length} elements` : typeof list;
    this.refuse(
      name,
      `must be a typed array with an element for each of ${this.numEnvs} environments, got ${got}`,
    );
  }

  private checkObs(what: string, name: string, obs: HostArray): void {
    this.checkShape(what, name, obs);
    if (obs instanceof Float32Array) this.checkFinite(what, name, obs, this.obsSize);
  }

  private checkShape(what: string, name: string, obs: unknown): void {
    const { dtype, shape } = this.vec.observationSpace;
    const storage = storages[dtype];
    const size = this.numEnvs * this.obsSize;
    if (obs instanceof storage && obs.length === size) return;
    const got = ArrayBuffer.isView(obs)
      ? `${obs.constructor.name} of ${(obs as HostArray).length}`
      : typeof obs;
    const wants = `a ${storage.name} of ${size}: ${this.numEnvs} observations [${shape.join()}]`;
    this.refuse(name, `must be ${wants}, got ${got}`, what);
  }

  private checkFinite(what: string, name: string, values: HostArray, width: number): void {
    // A product with 0 is 0 unless a factor is not finite, and so is the sum.
    let sum = 0;
    for (const value of values) sum += value * 0;
    if (sum === 0) return;
    const at = values.findIndex((value) => !Number.isFinite(value));
    const index = Math.floor(at / width);
    const where = width === 1 ? "" : ` in place ${at % width}`;
    this.refuse(`${name} of environment ${index}`, `must be finite, got ${values[at]}${where}`, what);
  }
}
