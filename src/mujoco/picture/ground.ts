// A plane seen from its edge: the ground, with tiles that show how far the camera has moved.
import { colors, polyline, type Point } from "../../env/index.js";
import type { Camera } from "./camera.js";
import type { Solid } from "./scene.js";

/** Width and depth of a tile, in metres. */
const tile = { width: 0.5, depth: 0.07 };

/** The shapes of a plane; none if it is seen from its face. */
export function drawGround({ center, axes, size }: Solid, camera: Camera): string[] {
  const [nx, ny] = camera.turn(axes[2]);
  const slant = Math.hypot(nx, ny);
  if (slant < 0.1) return [];
  const origin = camera.project(center);
  const [down, along]: Point[] = [
    [-nx / slant, -ny / slant],
    [-ny / slant, nx / slant],
  ];
  const at = (metresAlong: number, metresDown: number): Point => [
    origin[0] + (along[0] * metresAlong + down[0] * metresDown) * camera.scale,
    origin[1] + (along[1] * metresAlong + down[1] * metresDown) * camera.scale,
  ];
  // Beyond the picture in any direction; a plane without a size has no end.
  const reach = (camera.width + camera.height) / 2 / camera.scale;
  const middle =
    ((camera.width / 2 - origin[0]) * along[0] + (camera.height / 2 - origin[1]) * along[1]) / camera.scale;
  const half = size[0] > 0 ? size[0] : Infinity;
  const [from, to] = [Math.max(middle - reach, -half), Math.min(middle + reach, half)];
  if (from >= to) return [];
  const strip = (a: number, b: number, depth: number, fill: string): string =>
    polyline([at(a, 0), at(b, 0), at(b, depth), at(a, depth)], { fill });
  const tiles: string[] = [];
  for (let index = Math.ceil(from / (2 * tile.width)); 2 * index * tile.width < to; index++) {
    const start = 2 * index * tile.width;
    tiles.push(strip(start, Math.min(start + tile.width, to), tile.depth, colors.faint));
  }
  return [strip(from, to, 2 * reach, colors.shade), ...tiles];
}
