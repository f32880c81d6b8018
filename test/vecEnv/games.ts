// Host environments for tests: plain objects whose episodes can be told by hand.
import { Box, Discrete } from "vibe-rl/env";
import type { HostAction, HostEnv, HostReset, HostStep, VecStep } from "vibe-rl/vecEnv";

/** A small generator of random numbers, whose state is one number. */
export const nextRandom = (state: number): number => (Math.imul(state, 1664525) + 1013904223) >>> 0;

/**
 * A walk from a random place: right with action 1, left with 0. It ends beyond 3 (terminated) and after `limit` steps
 * (truncated). The observation is [place, steps].
 */
export class Walk implements HostEnv {
  readonly observationSpace = Box({ low: -100, high: 100, shape: [2] });
  readonly actionSpace = Discrete(2);
  closed = 0;
  protected random = 1;
  protected place = 0;
  protected steps = 0;

  constructor(private readonly limit = 6) {}

  reset(seed?: number): HostReset {
    if (seed !== undefined) this.random = seed + 1;
    this.random = nextRandom(this.random);
    this.place = Math.fround(this.random / 2 ** 32);
    this.steps = 0;
    return [[this.place, this.steps], {}];
  }

  step(action: HostAction): HostStep {
    this.place += action === 1 ? 1 : -1;
    this.steps += 1;
    const terminated = this.place > 3;
    const info = { rewardComponents: { place: this.place, step: -0.5 }, log: { "/walk/place": this.place } };
    return [[this.place, this.steps], this.place - 0.5, terminated, this.steps >= this.limit, info];
  }

  getState(): unknown {
    return { random: this.random, place: this.place, steps: this.steps };
  }

  setState(state: unknown): void {
    Object.assign(this, state);
  }

  render(): string {
    return `<svg><text>${this.place}</text></svg>`;
  }

  close(): void {
    this.closed += 1;
  }
}

/** An environment whose answers come later. */
export function slowly(env: Walk, turns: number): HostEnv {
  const later = async <T>(value: T): Promise<T> => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    return value;
  };
  const { observationSpace, actionSpace } = env;
  return {
    observationSpace,
    actionSpace,
    reset: (seed) => later(env.reset(seed)),
    step: (action) => later(env.step(action)),
    getState: () => later(env.getState()),
    setState: (state) => later(state).then((value) => env.setState(value)),
  };
}

/** The walk with another step or reset. */
export const walking = (change: Partial<Record<keyof HostEnv, unknown>>): HostEnv =>
  Object.assign(new Walk(), change);

/** A copy of a step's results, which the next step writes over, with last observations only where there are any. */
export function copyStep({ obs, rewards, dones, extras }: VecStep): unknown {
  const { finalObservation, ...rest } = structuredClone(extras);
  const size = obs.length / dones.length;
  const last = Array.from(dones, (done, index) =>
    done === 1 ? finalObservation?.slice(index * size, (index + 1) * size) : null,
  );
  return structuredClone({ obs, rewards, dones, extras: { ...rest, last } });
}
