// A drawing as pixels.
import { textContours, textWidth } from "../font/index.js";
import { coverage, type Coverage } from "./coverage.js";
import {
  anchorShift,
  channels,
  type Box,
  type Drawing,
  type Line,
  type Point,
  type Shape,
  type Text,
} from "./shapes.js";
import { strokeOutline } from "./stroke.js";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel, row by row. */
  readonly rgb: Uint8Array;
}

/** The letters of a text as polygons, in pixels. */
function textPolygons({ text, at: [x, y], size, anchor, upwards }: Text, scale: number): Point[][] {
  const start = -anchorShift(anchor, textWidth(text, size));
  return textContours(text).map((contour) =>
    contour.map(([along, up]) => {
      const [dx, dy] = [start + along * size, -up * size];
      return upwards ? [(x + dy) * scale, (y - dx) * scale] : [(x + dx) * scale, (y + dy) * scale];
    }),
  );
}

/** A line as a polygon, in pixels. Level and upright lines cover whole pixels, so that they are crisp. */
function linePolygon({ points, width }: Line, scale: number): Point[] | null {
  const pixels = points.map(([x, y]): Point => [x * scale, y * scale]);
  const isStraight = points.length === 2 && points[0].some((value, axis) => value === points[1][axis]);
  if (!isStraight) return strokeOutline(pixels, width * scale);
  const whole = Math.max(1, Math.round(width * scale));
  const snap = (value: number): number => Math.round(value - whole / 2) + whole / 2;
  return strokeOutline(
    pixels.map(([x, y]): Point => [snap(x), snap(y)]),
    whole,
  );
}

function addShape(cover: Coverage, shape: Exclude<Shape, { kind: "clip" }>, scale: number): void {
  if (shape.kind === "text") textPolygons(shape, scale).forEach((polygon) => cover.add(polygon));
  else if (shape.kind === "area") cover.add(shape.points.map(([x, y]): Point => [x * scale, y * scale]));
  else {
    const outline = linePolygon(shape, scale);
    if (outline !== null) cover.add(outline);
  }
}

/** Fills what has been covered with a colour. */
function paint({ rgb, width }: Pixels, cover: Coverage, color: string, opacity: number, box: Box): void {
  const [red, green, blue] = channels(color);
  cover.flush((pixel, share) => {
    const column = pixel % width;
    const row = (pixel - column) / width;
    if (column < box.left || column >= box.right || row < box.top || row >= box.bottom) return;
    const alpha = share * opacity;
    const at = 3 * pixel;
    rgb[at] += Math.round((red - rgb[at]) * alpha);
    rgb[at + 1] += Math.round((green - rgb[at + 1]) * alpha);
    rgb[at + 2] += Math.round((blue - rgb[at + 2]) * alpha);
  });
}

/** Draws with `scale` pixels a point. */
export function rasterize(drawing: Drawing, scale: number): Pixels {
  const width = Math.max(1, Math.round(drawing.width * scale));
  const height = Math.max(1, Math.round(drawing.height * scale));
  const pixels: Pixels = { width, height, rgb: new Uint8Array(3 * width * height) };
  // One byte pattern, repeated.
  Buffer.from(pixels.rgb.buffer).fill(Uint8Array.from(channels(drawing.background)));
  const cover = coverage(width, height);
  const draw = (shapes: readonly Shape[], box: Box): void => {
    for (const shape of shapes) {
      if (shape.kind === "clip") {
        const [left, top, right, bottom] = [
          shape.box.left,
          shape.box.top,
          shape.box.right,
          shape.box.bottom,
        ].map((edge) => Math.round(edge * scale));
        draw(shape.shapes, { left, top, right, bottom });
      } else {
        addShape(cover, shape, scale);
        paint(pixels, cover, shape.color, shape.kind === "text" ? 1 : shape.opacity, box);
      }
    }
  };
  draw(drawing.shapes, { left: 0, top: 0, right: width, bottom: height });
  return pixels;
}
