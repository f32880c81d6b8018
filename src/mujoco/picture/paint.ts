// The colours of a solid: its own, with a darker edge.
import type { Solid } from "./scene.js";

const rgb = (channels: readonly number[], brightness = 1): string =>
  `rgb(${channels.map((value) => Math.round(Math.min(Math.max(value * brightness, 0), 1) * 255)).join(",")})`;

export const paint = ([red, green, blue, opacity]: Solid["color"]) => ({
  fill: rgb([red, green, blue]),
  stroke: rgb([red, green, blue], 0.7),
  "stroke-width": 2,
  ...(opacity < 1 ? { opacity } : {}),
});
