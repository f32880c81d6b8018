// A finished picture, in whichever format it is asked for.
import { path } from "../node/index.js";
import { toPdf } from "./drawing/pdf.js";
import { toPng } from "./drawing/png.js";
import { rasterize } from "./drawing/raster.js";
import type { Drawing } from "./drawing/shapes.js";
import { toSvg } from "./drawing/svg.js";
import { fail } from "./error.js";
import { writePicture } from "./writePicture.js";

export interface Figure {
  /** The text of an SVG file. */
  svg(): string;
  /** The bytes of a PDF file. */
  pdf(): Uint8Array;
  /** The bytes of a PNG file. */
  png(): Uint8Array;
  /** Writes `.png`, `.svg` or `.pdf`, as the path ends, and makes the folder if there is none. */
  save(file: string): void;
}

/** A drawing as a figure; `operation` names who made it in errors. */
export function figureOf(operation: string, drawing: Drawing, dpi: number): Figure {
  const formats = {
    ".svg": () => toSvg(drawing),
    ".pdf": () => toPdf(drawing),
    ".png": () => toPng(rasterize(drawing, dpi / 72), dpi),
  };
  return {
    svg: formats[".svg"],
    pdf: formats[".pdf"],
    png: formats[".png"],
    save(file) {
      const ending = path.extname(file).toLowerCase();
      if (!Object.hasOwn(formats, ending)) {
        fail(
          operation,
          `the path must end in ${Object.keys(formats).join(", ")}, got ${JSON.stringify(file)}`,
        );
      }
      writePicture(operation, file, formats[ending as keyof typeof formats]());
    },
  };
}
