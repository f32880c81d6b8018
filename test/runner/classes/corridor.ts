// Small vectors of environments that are objects, written by hand: a corridor to walk along, with everything that such
// environments may tell.
import { Box, Discrete, type Space } from "vibe-rl/env";
import type { VecEnv, VecStep } from "../../../src/vecEnv/index.js";

export interface CorridorOptions {
  readonly numEnvs?: number;
  /** Where the corridor ends: reaching it ends an episode with a reward of 1. */
  readonly length?: number;
  /** Steps after which an episode is cut off. */
  readonly limit?: number;
  /** Whether its state can be taken and put back. */
  readonly hasState?: boolean;
  /** Whether it answers with promises. */
  readonly isAsync?: boolean;
  readonly continuous?: boolean;
  readonly tellsFinal?: boolean;
}

interface Walker {
  place: number;
  steps: number;
  /** A small generator, so that starts are random and follow from the seed. */
  random: number;
}

/** A corridor for every environment: 0 goes left, 1 goes right. */
export class Corridor implements VecEnv {
  readonly numEnvs: number;
  readonly observationSpace: Space = Box({ low: -10, high: 10, shape: [2] });
  readonly actionSpace: Space;
  isClosed = false;
  /** What every step was asked to do, the last first. */
  readonly seeds: (number | undefined)[] = [];
  /** Called before every step. */
  before: (step: number) => void = () => undefined;
  /** Changes what a step gives. */
  alter: (step: VecStep) => VecStep = (step) => step;
  private walkers: Walker[] = [];
  private count = 0;
  declare getState?: () => unknown;
  declare setState?: (state: unknown) => void;

  constructor(private readonly options: CorridorOptions = {}) {
    this.numEnvs = options.numEnvs ?? 2;
    this.actionSpace = options.continuous === true ? Box({ low: -1, high: 1, shape: [1] }) : Discrete(2);
    if (options.hasState === false) return;
    this.getState = () => structuredClone({ walkers: this.walkers, count: this.count });
    this.setState = (state) => {
      const { walkers, count } = structuredClone(state) as { walkers: Walker[]; count: number };
      this.walkers = walkers;
      this.count = count;
    };
  }

  reset(seed = 0): Float32Array | Promise<Float32Array> {
    this.seeds.push(seed);
    this.walkers = Array.from({ length: this.numEnvs }, (_, at) => ({
      ...{ place: 0, steps: 0, random: (seed + at) * 7919 + 13 },
    }));
    this.walkers.forEach((walker) => this.begin(walker));
    const obs = this.observations();
    return this.options.isAsync === true ? Promise.resolve(obs) : obs;
  }

  private begin(walker: Walker): void {
    walker.random = (walker.random * 1103515245 + 12345) % 2147483648;
    walker.place = (walker.random % 3) / 4;
    walker.steps = 0;
  }

  private observations(): Float32Array {
    return Float32Array.from(this.walkers.flatMap(({ place, steps }) => [place, steps / 10]));
  }

  step(actions: ArrayLike<number>): VecStep | Promise<VecStep> {
    this.before(this.count);
    this.count++;
    const { length = 3, limit = 8, isAsync = false, continuous = false, tellsFinal = true } = this.options;
    const [rewards, dones] = [new Float32Array(this.numEnvs), new Uint8Array(this.numEnvs)];
    const [timeOuts, terminated] = [new Uint8Array(this.numEnvs), new Uint8Array(this.numEnvs)];
    const [progress, goal] = [new Float32Array(this.numEnvs), new Float32Array(this.numEnvs)];
    this.walkers.forEach((walker, at) => {
      const move = continuous ? actions[at] : actions[at] === 1 ? 1 : -1;
      walker.place = Math.max(-length, walker.place + move);
      walker.steps++;
      progress[at] = move / 10;
      goal[at] = walker.place >= length ? 1 : 0;
      rewards[at] = progress[at] + goal[at];
      terminated[at] = goal[at];
      timeOuts[at] = walker.steps >= limit ? 1 : 0;
      dones[at] = terminated[at] | timeOuts[at];
    });
    const finalObservation = this.observations();
    this.walkers.forEach((walker, at) => {
      if (dones[at] === 1) this.begin(walker);
    });
    const step = this.alter({
      ...{ obs: this.observations(), rewards, dones },
      extras: {
        ...{ timeOuts, terminated },
        ...(tellsFinal && { finalObservation }),
        rewardComponents: { progress, goal },
        log: {
          "/corridor/place_mean": this.walkers.reduce((sum, { place }) => sum + place, 0) / this.numEnvs,
        },
      },
    });
    return isAsync ? Promise.resolve(step) : step;
  }

  close(): void {
    this.isClosed = true;
  }
}

export const smallConfig = { hiddenSizes: [8], nSteps: 16, nMinibatches: 2, nEpochs: 2, lr: 1e-2 } as const;
