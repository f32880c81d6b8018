// What one step of a vector of environments gives, against the contract.
import { describe } from "../../array/index.js";
import { kindOfArray, type Layout } from "../layout.js";
import type { HostArray, VecEnv, VecExtras, VecStep } from "../types.js";
import type { Notes } from "./notes.js";
import { boundsOf, outside, type Bounds } from "./values.js";

export class VecStepCheck {
  private readonly bounds: Bounds | null;

  constructor(
    private readonly notes: Notes,
    private readonly vecEnv: VecEnv,
    private readonly obs: Layout,
  ) {
    this.bounds = boundsOf(vecEnv.observationSpace);
  }

  /** Stops at what is no typed array of a kind and length. */
  array(what: string, value: unknown, kind: string, length: number): void {
    const given = kindOfArray(value);
    const size = (value as HostArray | undefined)?.length;
    if (given === kind && size === length) return;
    const found = given === undefined ? describe(value) : `a ${given} of ${String(size)}`;
    this.notes.stop(`${what} must be a ${kind} of ${length}, got ${found}`);
  }

  step(given: VecStep): void {
    const { numEnvs } = this.vecEnv;
    if (typeof given !== "object" || given === null || typeof given.extras !== "object") {
      this.notes.stop(`step must give { obs, rewards, dones, extras }, got ${describe(given)}`);
    }
    const { obs, rewards, dones, extras } = given;
    this.array("obs of step", obs, this.obs.kind, numEnvs * this.obs.size);
    this.array("rewards of step", rewards, "Float32Array", numEnvs);
    this.array("dones of step", dones, "Uint8Array", numEnvs);
    this.array("extras.timeOuts", extras.timeOuts, "Uint8Array", numEnvs);
    for (const name of ["terminated", "truncated"] as const) {
      if (extras[name] !== undefined) this.array(`extras.${name}`, extras[name], "Uint8Array", numEnvs);
    }
    const bad = rewards.findIndex((reward) => !Number.isFinite(reward));
    if (bad >= 0) this.notes.note(`the reward of environment ${bad} is ${rewards[bad]}`, "rewards");
    this.observations("step", obs, () => true);
    for (let index = 0; index < numEnvs; index++) this.ends(index, dones, extras);
    this.last(dones, extras);
    this.told(extras);
  }

  /** Observations are finite and in their space, in the rows that are to be read. */
  observations(from: string, obs: HostArray, isRead: (index: number) => boolean): void {
    const { size, space } = this.obs;
    for (let index = 0; index < this.vecEnv.numEnvs; index++) {
      if (!isRead(index)) continue;
      const row = obs.slice(index * size, (index + 1) * size);
      const bad = row.findIndex((value) => !Number.isFinite(value));
      const whole = space.kind === "Discrete" ? space.n : space.kind === "MultiBinary" ? 2 : null;
      const problem =
        bad >= 0
          ? `holds ${row[bad]} at element ${bad}`
          : whole !== null && row.some((value) => value < 0 || value >= whole)
            ? `is ${row.join()}, not in ${String(space)}`
            : this.bounds === null
              ? null
              : leaves(space.toString(), outside(row, this.bounds));
      if (problem !== null) {
        this.notes.note(`the observation of ${from} in environment ${index} ${problem}`, `obs ${from}`);
      }
    }
  }

  private ends(index: number, dones: Uint8Array, extras: VecExtras): void {
    const [done, timeOut] = [dones[index], extras.timeOuts[index]];
    const terminated = extras.terminated?.[index];
    const told = `dones ${done}, timeOuts ${timeOut}${terminated === undefined ? "" : `, terminated ${terminated}`}`;
    const isFlag = [done, timeOut, terminated ?? 0].every((value) => value === 0 || value === 1);
    if (!isFlag) {
      this.notes.note(`ends are told by 0 and 1, but environment ${index} has ${told}`, "flags");
    } else if (terminated === 1 && timeOut === 1) {
      this.notes.note(
        `timeOuts is for episodes that might have gone on, but environment ${index} has ${told}`,
        "both",
      );
    } else if (
      done !== (terminated === undefined ? Math.max(done, timeOut) : Math.max(terminated, timeOut))
    ) {
      const rule =
        terminated === undefined
          ? "where timeOuts is 1, dones must be 1"
          : "dones must be 1 where terminated or timeOuts is, and nowhere else";
      this.notes.note(`${rule}, but environment ${index} has ${told}`, "dones");
    }
  }

  private last(dones: Uint8Array, { finalObservation }: VecExtras): void {
    const ended = dones.indexOf(1);
    if (finalObservation === undefined) {
      if (ended < 0) return;
      this.notes.note(
        `extras.finalObservation is missing where an episode has ended (environment ${ended}); without it, what would ` +
          "have followed an episode that was cut off counts for nothing",
        "finalObservation",
      );
      return;
    }
    this.array(
      "extras.finalObservation",
      finalObservation,
      this.obs.kind,
      this.vecEnv.numEnvs * this.obs.size,
    );
    this.observations("finalObservation", finalObservation, (index) => dones[index] === 1);
  }

  private told({ rewardComponents = {}, log = {} }: VecExtras): void {
    for (const [name, values] of Object.entries(rewardComponents)) {
      const isFit = values.length === this.vecEnv.numEnvs && Array.from(values).every(Number.isFinite);
      if (isFit) continue;
      this.notes.note(`extras.rewardComponents.${name} must have a finite number for each environment`);
    }
    for (const [name, value] of Object.entries(log)) {
      if (!Number.isFinite(value))
        this.notes.note(
          `extras.log[${JSON.stringify(name)}] must be a finite number, got ${describe(value)}`,
        );
    }
  }
}

const leaves = (space: string, place: string | null): string | null =>
  place === null ? null : `leaves ${space}: ${place}`;
