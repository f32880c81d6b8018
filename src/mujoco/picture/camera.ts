// A camera that looks from the side, without perspective, and may follow a body.
import { tellNearest } from "../../array/index.js";
import type { Point } from "../../env/index.js";
import { fail } from "../errors.js";
import type { MujocoModel, Physics } from "../types.js";
import type { Vector } from "./scene.js";

export interface CameraOptions {
  /** The body that stays in the middle from left to right. Default: none, the camera stands still. */
  readonly follow?: string;
  /** The height in the middle of the picture, in metres. Default 0. */
  readonly height?: number;
  /** How many metres the picture shows from bottom to top. Default 3. */
  readonly metres?: number;
  /** The direction it looks in: 0 along y with x to the right, 90 along −x with y to the right. Default 0. */
  readonly azimuth?: number;
  /** The size of the picture in pixels. Default [600, 400]. */
  readonly pixels?: readonly [width: number, height: number];
}

/** A camera in its place. */
export interface Camera {
  readonly width: number;
  readonly height: number;
  /** Pixels a metre. */
  readonly scale: number;
  /** Where a point of the world is in the picture. */
  readonly project: (point: Vector) => Point;
  /** A direction of the world in the picture, in metres, y downwards. */
  readonly turn: (direction: Vector) => Point;
  /** How far away a point is; only differences matter. */
  readonly depth: (point: Vector) => number;
}

/** The names of bodies; MuJoCo keeps them as bytes, each name with a 0 behind it. */
function bodyNames({ names, name_bodyadr: starts, nbody }: MujocoModel): string[] {
  const nameAt = (start: number): string =>
    String.fromCharCode(...names.slice(start, names.indexOf(0, start)));
  return [...starts.slice(0, nbody)].map(nameAt).filter((name) => name !== "");
}

/** The camera of a task, where it is now. */
export function sideCamera(
  operation: string,
  { mujoco, model, data }: Physics,
  { follow, height = 0, metres = 3, azimuth = 0, pixels = [600, 400] }: CameraOptions = {},
): Camera {
  if (!(metres > 0)) fail(operation, `the camera's metres must be greater than 0, got ${metres}`);
  const right = [Math.cos((azimuth * Math.PI) / 180), Math.sin((azimuth * Math.PI) / 180)] as const;
  let middle = 0;
  if (follow !== undefined) {
    const body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY.value, follow);
    if (body < 0) {
      const known = bodyNames(model);
      fail(operation, `the camera follows ${JSON.stringify(follow)}, no body; ${tellNearest(follow, known)}`);
    }
    mujoco.mj_kinematics(model, data);
    middle = right[0] * data.xpos[3 * body] + right[1] * data.xpos[3 * body + 1];
  }
  const scale = pixels[1] / metres;
  const turn = ([x, y, z]: Vector): Point => [right[0] * x + right[1] * y, -z];
  return {
    width: pixels[0],
    height: pixels[1],
    scale,
    turn,
    project: (point) => {
      const [x, y] = turn(point);
      return [pixels[0] / 2 + (x - middle) * scale, pixels[1] / 2 + (y + height) * scale];
    },
    depth: ([x, y]) => right[0] * y - right[1] * x,
  };
}
