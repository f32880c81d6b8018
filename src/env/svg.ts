// Drawing: a few SVG shapes, the colours that the built-in environments share, and numbers out of states.
import { fail, type Array } from "../array/index.js";

export const colors = {
  paper: "#f8fafc",
  shade: "#e2e8f0",
  ink: "#334155",
  faint: "#94a3b8",
  blue: "#2563eb",
  orange: "#f59e0b",
  green: "#10b981",
  red: "#ef4444",
} as const;

type Attributes = Readonly<Record<string, string | number>>;
export type Point = readonly [x: number, y: number];

/** Two decimals are less than a pixel; "-0" and trailing zeros go. */
const number = (value: number): string => String(Math.round(value * 100) / 100 + 0);

const written = (value: string | number): string => (typeof value === "number" ? number(value) : value);

/** One shape: `shape("circle", { cx: 10, cy: 20, r: 5 })`. */
export const shape = (name: string, attributes: Attributes): string =>
  `<${name} ${Object.entries(attributes)
    .map(([key, value]) => `${key}="${written(value)}"`)
    .join(" ")}/>`;

export const circle = ([cx, cy]: Point, r: number, fill: string, more: Attributes = {}): string =>
  shape("circle", { cx, cy, r, fill, ...more });

export const rect = (
  [x, y]: Point,
  width: number,
  height: number,
  fill: string,
  more: Attributes = {},
): string => shape("rect", { x, y, width, height, fill, ...more });

export const line = ([x1, y1]: Point, [x2, y2]: Point, stroke: string, width: number): string =>
  shape("line", { x1, y1, x2, y2, stroke, "stroke-width": width, "stroke-linecap": "round" });

/** A run of straight lines through points, closed and filled if `fill` is given. */
export const polyline = (points: readonly Point[], attributes: Attributes): string =>
  shape("polyline", {
    points: points.map(([x, y]) => `${number(x)},${number(y)}`).join(" "),
    fill: "none",
    "stroke-linejoin": "round",
    "stroke-linecap": "round",
    ...attributes,
  });

/** A whole picture. */
export const picture = (width: number, height: number, shapes: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">` +
  `${rect([0, 0], width, height, colors.paper)}${shapes.join("")}</svg>`;

/** The point at a distance from another, at an angle clockwise from straight up. */
export const polar = ([x, y]: Point, distance: number, angle: number): Point => [
  x + distance * Math.sin(angle),
  y - distance * Math.cos(angle),
];

/** The numbers of a state or of parameters, for one environment. */
export function numbersIn<K extends string>(
  what: string,
  from: Readonly<Record<K, Array>>,
  ...names: readonly K[]
): Record<K, number> {
  const read = (name: K): number => {
    const { shape: extents } = from[name];
    if (extents.length === 0) return from[name].item();
    return fail(
      "render",
      `needs one environment, but ${name} of the ${what} is a batch [${extents.join()}]; ` +
        `take one out with tree.map((leaf) => leaf.slice(0), ${what})`,
    );
  };
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<K, number>;
}
