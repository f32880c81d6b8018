// checkVecEnv: finds what a vector of environments gets wrong.
import { check, checkOptions, describe, rules } from "../../array/index.js";
import { isSpace } from "../hostEnvs.js";
import { layoutOf, type Layout } from "../layout.js";
import type { HostArray, MaybePromise, VecEnv, VecStep } from "../types.js";
import { problemsOf, refuse, type Notes } from "./notes.js";
import { VecStepCheck } from "./vecStep.js";
import { difference, notPlain, sampleActions } from "./values.js";

export interface CheckVecEnvOptions {
  /** Seed of the episodes and actions that it is tried with. Default 0. */
  readonly seed?: number;
  /** Vector steps with random actions that it is tried with. Default 200. */
  readonly steps?: number;
}

type Given = VecEnv | (() => MaybePromise<VecEnv>);

/**
 * Refuses a vector of environments that has problems, and says all of them in words. One that a function makes is
 * closed; another is left in the middle of an episode, to be reset.
 */
export async function checkVecEnv(vecEnv: Given, options: CheckVecEnvOptions = {}): Promise<void> {
  refuse("checkVecEnv", "the VecEnv", await problemsIn("checkVecEnv", vecEnv, options));
}

/** What is wrong with a vector of environments, in words; nothing if all is well. */
export const vecEnvProblems = (vecEnv: Given, options: CheckVecEnvOptions = {}): Promise<string[]> =>
  problemsIn("vecEnvProblems", vecEnv, options);

async function problemsIn(operation: string, given: Given, options: CheckVecEnvOptions): Promise<string[]> {
  checkOptions(operation, options, ["seed", "steps"]);
  const { seed = 0, steps = 200 } = options;
  check(operation, "steps", steps, rules.whole(1));
  const isOurs = typeof given === "function";
  const vecEnv = isOurs ? await given() : given;
  return problemsOf(async (notes) => {
    members(notes, vecEnv);
    try {
      await new Examination(vecEnv, notes).all(seed, steps);
    } finally {
      if (isOurs) {
        await notes.attempt("close", () => vecEnv.close());
        await notes.attempt("close, called twice,", () => vecEnv.close());
      }
    }
  });
}

/** Stops where something is missing that everything else needs. */
function members(notes: Notes, vecEnv: VecEnv): void {
  if (typeof vecEnv !== "object" || vecEnv === null)
    notes.stop(`it must be an object, got ${describe(vecEnv)}`);
  const { numEnvs } = vecEnv;
  if (!Number.isInteger(numEnvs) || numEnvs < 1) {
    notes.stop(`numEnvs must be a whole number of at least 1, got ${describe(numEnvs)}`);
  }
  for (const name of ["observationSpace", "actionSpace"] as const) {
    if (!isSpace(vecEnv[name]))
      notes.stop(`${name} must be a space, such as Box({ shape: [4] }), got ${describe(vecEnv[name])}`);
  }
  for (const name of ["reset", "step", "close"] as const) {
    const method = (vecEnv as unknown as Record<string, unknown>)[name];
    if (typeof method !== "function") notes.stop(`${name} must be a method, got ${describe(method)}`);
  }
  if ((vecEnv.getState === undefined) !== (vecEnv.setState === undefined)) {
    notes.note("getState and setState must be there both, or neither");
  }
}

/** A copy of what a call gave, which the next call may write over. */
interface Copy {
  readonly obs: HostArray;
  readonly rewards: Float32Array;
  readonly dones: Uint8Array;
  readonly timeOuts: Uint8Array;
  /** Last observations, where there are any. */
  readonly last: readonly (HostArray | null)[];
}

class Examination {
  private readonly obs: Layout;
  private readonly actionSize: number;

  constructor(
    private readonly vecEnv: VecEnv,
    private readonly notes: Notes,
  ) {
    this.obs = layoutOf(vecEnv.observationSpace);
    this.actionSize = vecEnv.numEnvs * layoutOf(vecEnv.actionSpace).size;
  }

  async all(seed: number, steps: number): Promise<void> {
    const { vecEnv, notes } = this;
    const actions = sampleActions(vecEnv.actionSpace, seed, steps * vecEnv.numEnvs);
    const start = await this.reset(seed);
    const first = await this.follow(actions, 0, steps);
    this.autoReset(first);
    const again = await this.reset(seed);
    const second = await this.follow(actions, 0, steps);
    const found = difference([start, ...first], [again, ...second]);
    if (found !== null) {
      notes.note(`the same seed and the same actions give other episodes (${named(found)})`);
    } else if (vecEnv.getState !== undefined && vecEnv.setState !== undefined) {
      await this.state(seed, actions, steps);
    }
  }

  private async state(seed: number, actions: HostArray, steps: number): Promise<void> {
    const { vecEnv, notes } = this;
    const middle = Math.floor(steps / 2);
    await this.reset(seed);
    await this.follow(actions, 0, middle);
    const state = await notes.attempt("getState", () => vecEnv.getState?.());
    const bad = notPlain(state);
    if (bad !== null) notes.note(`getState must give what JSON carries, but ${bad}`);
    const copy: unknown = bad === null ? JSON.parse(JSON.stringify(state)) : structuredClone(state);
    const first = await this.follow(actions, middle, steps);
    await notes.attempt("setState", () => vecEnv.setState?.(copy));
    const found = difference(first, await this.follow(actions, middle, steps));
    if (found !== null) {
      notes.note(
        `setState does not bring back everything: the same actions give other episodes after it (${named(found)})`,
      );
    }
  }

  private async reset(seed: number): Promise<HostArray> {
    const { vecEnv, obs, notes } = this;
    const given = await notes.attempt("reset", () => vecEnv.reset(seed));
    const check = new VecStepCheck(notes, vecEnv, obs);
    check.array("what reset gives", given, obs.kind, vecEnv.numEnvs * obs.size);
    check.observations("reset", given, () => true);
    return given.slice();
  }

  private async follow(actions: HostArray, from: number, to: number): Promise<Copy[]> {
    const copies: Copy[] = [];
    const check = new VecStepCheck(this.notes, this.vecEnv, this.obs);
    for (let step = from; step < to; step++) {
      const own = actions.slice(step * this.actionSize, (step + 1) * this.actionSize);
      const given = await this.notes.attempt("step", () => this.vecEnv.step(own));
      check.step(given);
      copies.push(this.copy(given));
    }
    return copies;
  }

  private copy({ obs, rewards, dones, extras }: VecStep): Copy {
    const { size } = this.obs;
    const { finalObservation } = extras;
    const last = Array.from(dones, (done, at) =>
      done === 1 ? (finalObservation?.slice(at * size, (at + 1) * size) ?? null) : null,
    );
    return {
      obs: obs.slice(),
      rewards: rewards.slice(),
      dones: dones.slice(),
      timeOuts: extras.timeOuts.slice(),
      last,
    };
  }

  /** An episode of several steps, after which every step is an end and nothing changes, has not begun anew. */
  private autoReset(steps: readonly Copy[]): void {
    const { size } = this.obs;
    for (let index = 0; index < this.vecEnv.numEnvs; index++) {
      const end = steps.findIndex(({ dones }) => dones[index] === 1);
      const rest = steps.slice(end);
      if (end < 1 || rest.length < 3) continue;
      const rowOf = ({ obs }: Copy): string => obs.slice(index * size, (index + 1) * size).join();
      const isStuck = rest.every(
        (step) => step.dones[index] === 1 && rowOf(step) === (step.last[index]?.join() ?? rowOf(rest[0])),
      );
      if (!isStuck) continue;
      this.notes.note(
        `environment ${index} does not begin the next episode by itself: after its end at step ${end + 1}, every step is an end`,
        "auto-reset",
      );
    }
  }
}

/** A difference between lists of steps as it reads best. */
const named = (found: string): string => found.replace(/^\[(\d+)\]\.?/, (_, at: string) => `step ${at}: `);
