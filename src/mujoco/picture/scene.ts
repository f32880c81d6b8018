// The geoms of a simulation as plain numbers: what the renderer draws.
import type { MujocoModel, Physics } from "../types.js";

export type Vector = readonly [x: number, y: number, z: number];

/** Shapes that are drawn as what they are; all others as the boxes around them. */
export type SolidKind = "plane" | "sphere" | "capsule" | "cylinder" | "box";

/** One geom in space. */
export interface Solid {
  readonly kind: SolidKind;
  /** Its middle, in metres. */
  readonly center: Vector;
  /** Its own axes in the world's coordinates. */
  readonly axes: readonly [x: Vector, y: Vector, z: Vector];
  /** MuJoCo's sizes: radius and half length along its z axis, or three half widths. */
  readonly size: Vector;
  /** Red, green, blue and opacity, from 0 to 1. */
  readonly color: readonly [red: number, green: number, blue: number, opacity: number];
}

// MuJoCo's mjtGeom.
const kinds: Readonly<Record<number, SolidKind>> = {
  0: "plane",
  2: "sphere",
  3: "capsule",
  5: "cylinder",
  6: "box",
};

/** Groups from here on are hidden, as in MuJoCo's own viewer: they are for collisions. */
const firstHiddenGroup = 3;

const three = (list: ArrayLike<number>, at: number): Vector => [list[at], list[at + 1], list[at + 2]];

const along = (axes: Solid["axes"], [a, b, c]: Vector): Vector => {
  const [x, y, z] = axes;
  return [a * x[0] + b * y[0] + c * z[0], a * x[1] + b * y[1] + c * z[1], a * x[2] + b * y[2] + c * z[2]];
};

function colorOf(model: MujocoModel, geom: number): Solid["color"] {
  const material = model.geom_matid[geom];
  const [list, at] = material < 0 ? [model.geom_rgba, geom] : [model.mat_rgba, material];
  return [...three(list, 4 * at), list[4 * at + 3]];
}

/** The geoms that are to be seen, where they are now. */
export function readScene({ mujoco, model, data }: Physics): Solid[] {
  // After a step, places lag a little behind the state.
  mujoco.mj_kinematics(model, data);
  const { geom_xpos: places, geom_xmat: turns } = data;
  const { geom_type: types, geom_group: groups, geom_size: sizes, geom_aabb: boxes } = model;
  const solids = Array.from({ length: model.ngeom }, (_, geom): Solid => {
    const axis = (column: number): Vector => [
      turns[9 * geom + column],
      turns[9 * geom + 3 + column],
      turns[9 * geom + 6 + column],
    ];
    const axes = [axis(0), axis(1), axis(2)] as const;
    const place = three(places, 3 * geom);
    const color = colorOf(model, geom);
    const kind = kinds[types[geom]];
    if (kind !== undefined) return { kind, center: place, axes, size: three(sizes, 3 * geom), color };
    const offset = along(axes, three(boxes, 6 * geom));
    const center: Vector = [place[0] + offset[0], place[1] + offset[1], place[2] + offset[2]];
    return { kind: "box", center, axes, size: three(boxes, 6 * geom + 3), color };
  });
  return solids.filter((solid, geom) => groups[geom] < firstHiddenGroup && solid.color[3] > 0);
}
