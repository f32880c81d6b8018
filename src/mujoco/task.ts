// What makes an environment out of a model: how episodes start, what is observed, what is rewarded, when it ends.
import type { Generator } from "./generator.js";
import type { CameraOptions } from "./picture/index.js";
import type { Physics } from "./types.js";

/** An action that has been carried out. */
export interface Transition {
  readonly physics: Physics;
  /** The action within the bounds of its space. */
  readonly action: Float32Array;
  /** Positions `qpos` before the action; those after it are in `physics.data`. */
  readonly before: Float64Array;
}

export interface Outcome {
  /** The parts that the reward is the sum of, by name. */
  readonly rewards: Readonly<Record<string, number>>;
  /** Whether the episode has come to its own end. */
  readonly terminated: boolean;
  /** Figures to log, by name. */
  readonly log?: Readonly<Record<string, number>>;
}

/** A task: a model and the rules of the environment around it. */
export interface MujocoTask {
  /** As it reads in messages. */
  readonly name: string;
  /** The model in MuJoCo's own language, MJCF: https://mujoco.readthedocs.io/en/stable/XMLreference.html. */
  readonly model: string;
  /** Steps of the physics for one action. Default 1. */
  readonly frameSkip?: number;
  /** Actions after which an episode is cut off; Infinity for never. Default 1000. */
  readonly maxSteps?: number;
  /** Moves the simulation from the model's own start to that of an episode. Default: leaves it there. */
  readonly start?: (physics: Physics, random: Generator) => void;
  /** What is observed, always as many numbers. Default: `qpos`, then `qvel`. */
  readonly observe?: (physics: Physics) => ArrayLike<number>;
  /** What an action has led to. */
  readonly outcome: (transition: Transition) => Outcome;
  /** How the side camera sees it. */
  readonly camera?: CameraOptions;
}

/** Adds to all positions and velocities a number between −scale and scale each. */
export function addNoise({ data }: Physics, random: Generator, scale: number): void {
  for (const list of [data.qpos, data.qvel]) {
    list.forEach((value, index) => (list[index] = value + random.uniform(-scale, scale)));
  }
}

/** Positions, then velocities. */
export const observeState = ({ data }: Physics): Float64Array => {
  const { qpos, qvel } = data;
  const all = new Float64Array(qpos.length + qvel.length);
  all.set(qpos);
  all.set(qvel, qpos.length);
  return all;
};
