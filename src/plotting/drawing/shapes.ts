// What a picture is made of: a short list of shapes that every format can draw. Lengths are points (1/72 inch),
// x grows to the right and y downwards; later shapes lie on earlier ones.

export type Point = readonly [x: number, y: number];

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Lines through points. */
export interface Line {
  readonly kind: "line";
  readonly points: readonly Point[];
  /** `#rrggbb`. */
  readonly color: string;
  readonly width: number;
  readonly opacity: number;
}

/** A filled polygon. */
export interface Area {
  readonly kind: "area";
  readonly points: readonly Point[];
  readonly color: string;
  readonly opacity: number;
}

/** One line of text; `at` is on the baseline. */
export interface Text {
  readonly kind: "text";
  readonly text: string;
  readonly at: Point;
  readonly size: number;
  readonly color: string;
  readonly anchor: "start" | "middle" | "end";
  /** Reads upwards instead of to the right. */
  readonly upwards: boolean;
}

/** Shapes of which only what lies in a box is seen. */
export interface Clip {
  readonly kind: "clip";
  readonly box: Box;
  readonly shapes: readonly Shape[];
}

export type Shape = Line | Area | Text | Clip;

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly background: string;
  /** What the picture shows, for those who do not see it. */
  readonly title: string;
  readonly shapes: readonly Shape[];
}

export const line = (points: readonly Point[], color: string, width: number, opacity = 1): Line => ({
  kind: "line",
  points,
  color,
  width,
  opacity,
});

export const area = (points: readonly Point[], color: string, opacity = 1): Area => ({
  kind: "area",
  points,
  color,
  opacity,
});

type TextStyle = Pick<Text, "size" | "color"> & Partial<Pick<Text, "anchor" | "upwards">>;

export const text = (
  content: string,
  at: Point,
  { size, color, anchor = "start", upwards = false }: TextStyle,
): Text => ({ kind: "text", text: content, at, size, color, anchor, upwards });

export const clip = (box: Box, shapes: readonly Shape[]): Clip => ({ kind: "clip", box, shapes });

/** The corners of a box. */
export const corners = ({ left, top, right, bottom }: Box): Point[] => [
  [left, top],
  [right, top],
  [right, bottom],
  [left, bottom],
];

/** Red, green and blue of `#rrggbb`, from 0 to 255. */
export function channels(color: string): [red: number, green: number, blue: number] {
  const all = Number.parseInt(color.slice(1), 16);
  return [all >> 16, (all >> 8) & 255, all & 255];
}

/** How far left of its anchor a text of this width starts. */
export const anchorShift = (anchor: Text["anchor"], width: number): number =>
  anchor === "start" ? 0 : anchor === "middle" ? width / 2 : width;
