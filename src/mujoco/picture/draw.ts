// Solids as SVG, seen by a camera: one shape a solid, far ones first, and the ground below them.
import { circle, picture, polyline, rect, type Point } from "../../env/index.js";
import type { Camera } from "./camera.js";
import { drawGround } from "./ground.js";
import { convexHull } from "./hull.js";
import { paint } from "./paint.js";
import type { Solid, Vector } from "./scene.js";

const corners = ([a, b, c]: Vector): Vector[] =>
  [-a, a].flatMap((x) => [-b, b].flatMap((y) => [-c, c].map((z): Vector => [x, y, z])));

/** Points of the two ends of a cylinder along z; with so many, edges are shorter than a pixel or two. */
const rims = (radius: number, half: number): Vector[] =>
  Array.from({ length: 32 }, (_, at) => (at * Math.PI) / 16).flatMap((angle) =>
    [-half, half].map((z): Vector => [radius * Math.cos(angle), radius * Math.sin(angle), z]),
  );

/** A point in a solid's own coordinates, in the picture. */
const placed =
  ({ center, axes }: Solid, camera: Camera) =>
  (local: Vector): Point =>
    camera.project(
      [0, 1, 2].map((k) =>
        axes.reduce((sum, axis, index) => sum + axis[k] * local[index], center[k]),
      ) as unknown as Vector,
    );

function drawSolid(solid: Solid, camera: Camera): string {
  const { kind, size, color } = solid;
  const look = paint(color);
  const place = placed(solid, camera);
  const radius = size[0] * camera.scale;
  if (kind === "sphere") return circle(place([0, 0, 0]), radius, look.fill, look);
  if (kind === "capsule") {
    const [[x1, y1], [x2, y2]] = [place([0, 0, -size[1]]), place([0, 0, size[1]])];
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
    const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    return rect([x - length / 2 - radius, y - radius], length + 2 * radius, 2 * radius, look.fill, {
      ...look,
      rx: radius,
      transform: `rotate(${angle.toFixed(2)} ${x.toFixed(2)} ${y.toFixed(2)})`,
    });
  }
  const outline = convexHull((kind === "box" ? corners(size) : rims(size[0], size[1])).map(place));
  return polyline([...outline, outline[0]], look);
}

/** A picture of solids as SVG. */
export function drawScene(solids: readonly Solid[], camera: Camera): string {
  const isGround = ({ kind }: Solid): boolean => kind === "plane";
  const bodies = solids.filter((solid) => !isGround(solid));
  bodies.sort((a, b) => camera.depth(b.center) - camera.depth(a.center));
  return picture(camera.width, camera.height, [
    ...solids.filter(isGround).flatMap((plane) => drawGround(plane, camera)),
    ...bodies.map((solid) => drawSolid(solid, camera)),
  ]);
}
