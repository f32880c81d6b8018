// Several charts on one sheet, side by side and below one another.
import type { Drawing, Point, Shape } from "../drawing/shapes.js";

/** A shape somewhere else. */
function shifted(shape: Shape, right: number, down: number): Shape {
  const move = ([x, y]: Point): Point => [x + right, y + down];
  switch (shape.kind) {
    case "line":
    case "area":
      return { ...shape, points: shape.points.map(move) };
    case "text":
      return { ...shape, at: move(shape.at) };
    case "clip": {
      const { left, top, right: end, bottom } = shape.box;
      const box = { left: left + right, top: top + down, right: end + right, bottom: bottom + down };
      return { ...shape, box, shapes: shape.shapes.map((inner) => shifted(inner, right, down)) };
    }
  }
}

/** Charts of one size on a sheet that is about as wide as it is high in charts; one alone is the sheet. */
export function onOneSheet(charts: readonly Drawing[]): Drawing {
  const [first] = charts;
  if (charts.length === 1) return first;
  const columns = Math.ceil(Math.sqrt(charts.length));
  return {
    ...first,
    width: columns * first.width,
    height: Math.ceil(charts.length / columns) * first.height,
    title: charts.map(({ title }) => title).join(", "),
    shapes: charts.flatMap(({ shapes }, at) =>
      shapes.map((shape) =>
        shifted(shape, (at % columns) * first.width, Math.floor(at / columns) * first.height),
      ),
    ),
  };
}
