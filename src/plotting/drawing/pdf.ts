// A drawing as PDF: one page of vector shapes, text in Helvetica, which every reader has.
import { zlib } from "../../node/index.js";
import { textWidth } from "../font/index.js";
import { anchorShift, channels, type Drawing, type Point, type Shape, type Text } from "./shapes.js";

const number = (value: number): string => String(Math.round(value * 100) / 100 + 0);
const numbers = (...values: readonly number[]): string => values.map(number).join(" ");

/** `#rrggbb` as PDF counts: from 0 to 1. */
const rgb = (color: string): string =>
  channels(color)
    .map((channel) => String(Math.round((channel / 255) * 1000) / 1000))
    .join(" ");

/** The name of a level of opacity among the page's resources. */
const opacityName = (opacity: number): string => `/O${Math.round(opacity * 1000)}`;

// Characters of Windows' code page 1252 whose codes are not Unicode's, and the minus sign it does not have.
const codes: Readonly<Record<string, number>> = {
  "€": 0x80,
  "…": 0x85,
  "‘": 0x91,
  "’": 0x92,
  "“": 0x93,
  "”": 0x94,
  "•": 0x95,
  "–": 0x96,
  "−": 0x96,
  "—": 0x97,
  "™": 0x99,
};

/** A text as a string of PDF, in hexadecimal; a character that Helvetica does not have is a question mark. */
function hexadecimal(text: string): string {
  const bytes = [...text].map((character) => {
    const code = codes[character] ?? character.codePointAt(0) ?? 0;
    return code < 32 || code > 255 ? 63 : code;
  });
  return `<${Buffer.from(bytes).toString("hex")}>`;
}

const path = ([[x, y], ...rest]: readonly Point[]): string =>
  [`${numbers(x, y)} m`, ...rest.map(([px, py]) => `${numbers(px, py)} l`)].join("\n");

function textOperators({ text, at: [x, y], size, color, anchor, upwards }: Text): string {
  const shift = anchorShift(anchor, textWidth(text, size));
  // The page is flipped, so that y grows downwards; letters must be flipped back.
  const matrix = upwards ? `0 -1 -1 0 ${numbers(x, y + shift)}` : `1 0 0 -1 ${numbers(x - shift, y)}`;
  return `BT /F1 ${number(size)} Tf ${rgb(color)} rg ${matrix} Tm ${hexadecimal(text)} Tj ET`;
}

function operators(shapes: readonly Shape[], opacities: Set<number>): string {
  const opacity = (value: number): string => {
    opacities.add(value);
    return `${opacityName(value)} gs`;
  };
  return shapes
    .map((shape) => {
      switch (shape.kind) {
        case "line":
          return `${opacity(shape.opacity)} ${rgb(shape.color)} RG ${number(shape.width)} w\n${path(shape.points)} S`;
        case "area":
          return `${opacity(shape.opacity)} ${rgb(shape.color)} rg\n${path(shape.points)} f`;
        case "text":
          return `${opacity(1)} ${textOperators(shape)}`;
        case "clip": {
          const { left, top, right, bottom } = shape.box;
          const box = numbers(left, top, right - left, bottom - top);
          return `q ${box} re W n\n${operators(shape.shapes, opacities)}\nQ`;
        }
      }
    })
    .join("\n");
}

/** Objects one after the other, then the table of where each one starts. */
function file(objects: readonly Buffer[]): Uint8Array {
  const header = Buffer.from("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "latin1");
  const parts = [header];
  const starts: number[] = [];
  let at = header.length;
  objects.forEach((object, index) => {
    const whole = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    starts.push(at);
    parts.push(whole);
    at += whole.length;
  });
  const count = objects.length + 1;
  const rows = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${rows}`;
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(table + trailer)]);
}

/** A drawing as the bytes of a PDF file. */
export function toPdf({ width, height, background, shapes }: Drawing): Uint8Array {
  const opacities = new Set<number>();
  const ground = `${rgb(background)} rg 0 0 ${numbers(width, height)} re f`;
  const content = `1 0 0 -1 0 ${number(height)} cm 1 j\n${ground}\n${operators(shapes, opacities)}\n`;
  const states = [...opacities].map(
    (opacity) => `${opacityName(opacity)} << /ca ${number(opacity)} /CA ${number(opacity)} >>`,
  );
  const stream = zlib.deflateSync(content);
  const resources = `/Font << /F1 4 0 R >> /ExtGState << ${states.join(" ")} >>`;
  return file([
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
    Buffer.from(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${numbers(width, height)}] ` +
        `/Resources << ${resources} >> /Contents 5 0 R >>`,
    ),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"),
    Buffer.concat([
      Buffer.from(`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`),
      stream,
      Buffer.from("\nendstream"),
    ]),
  ]);
}
