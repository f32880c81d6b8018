// A drawing as SVG.
import { fontFamily } from "../font/index.js";
import type { Clip, Drawing, Point, Shape, Text } from "./shapes.js";

/** A hundredth of a point is finer than any printer. */
const number = (value: number): string => String(Math.round(value * 100) / 100 + 0);

const escape = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    // XML has no other control characters, not even escaped.
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f]/g, " ");

/** Attributes as text; those that say what is the default anyway are left out. */
const attributes = (all: Readonly<Record<string, string | number>>): string =>
  Object.entries(all)
    .filter(([name, value]) => !(name.endsWith("opacity") && value === 1))
    .map(([name, value]) => ` ${name}="${typeof value === "number" ? number(value) : value}"`)
    .join("");

const list = (points: readonly Point[]): string =>
  points.map(([x, y]) => `${number(x)},${number(y)}`).join(" ");

function textElement({ text, at: [x, y], size, color, anchor, upwards }: Text): string {
  const place = upwards ? { transform: `translate(${number(x)} ${number(y)}) rotate(-90)` } : { x, y };
  const named = attributes({ ...place, "font-size": size, fill: color, "text-anchor": anchor });
  return `<text${named}>${escape(text)}</text>`;
}

function elements(shapes: readonly Shape[], clips: Clip[]): string {
  return shapes
    .map((shape) => {
      switch (shape.kind) {
        case "line": {
          const stroke = {
            stroke: shape.color,
            "stroke-width": shape.width,
            "stroke-opacity": shape.opacity,
          };
          return `<polyline${attributes({ points: list(shape.points), fill: "none", ...stroke })}/>`;
        }
        case "area":
          return `<polygon${attributes({ points: list(shape.points), fill: shape.color, "fill-opacity": shape.opacity })}/>`;
        case "text":
          return textElement(shape);
        case "clip":
          clips.push(shape);
          return `<g clip-path="url(#clip${clips.length})">\n${elements(shape.shapes, clips)}\n</g>`;
      }
    })
    .join("\n");
}

const clipElement = ({ box: { left, top, right, bottom } }: Clip, index: number): string =>
  `<clipPath id="clip${index + 1}">` +
  `<rect${attributes({ x: left, y: top, width: right - left, height: bottom - top })}/></clipPath>`;

/** A drawing as the text of an SVG file. */
export function toSvg({ width, height, background, title, shapes }: Drawing): string {
  const clips: Clip[] = [];
  const body = elements(shapes, clips);
  // Fonts of Helvetica's widths, whatever the system calls its own.
  const fonts = `Helvetica, Arial, 'Liberation Sans', ${fontFamily}, sans-serif`;
  const size = attributes({ width: `${number(width / 72)}in`, height: `${number(height / 72)}in` });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg"${size} viewBox="0 0 ${number(width)} ${number(height)}" font-family="${fonts}" stroke-linejoin="round" role="img">`,
    `<title>${escape(title)}</title>`,
    ...(clips.length === 0 ? [] : [`<defs>${clips.map(clipElement).join("")}</defs>`]),
    `<rect width="100%" height="100%" fill="${background}"/>`,
    body,
    "</svg>\n",
  ].join("\n");
}
