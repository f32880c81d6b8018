// SVG to pixels, by resvg as WebAssembly. It is loaded when the first picture is drawn.
import { fs, module } from "../../node/index.js";
import { fail } from "../error.js";
import { fontFamily, fontFile } from "../font/index.js";
import type { Frame } from "./frame.js";

type Renderer = (svg: string, width: number | null) => Frame;

let renderer: Promise<Renderer> | undefined;

async function load(): Promise<Renderer> {
  const program = module.createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm");
  const { initWasm, Resvg } = await import("@resvg/resvg-wasm");
  await initWasm(await fs.promises.readFile(program));
  const font = {
    fontBuffers: [fontFile()],
    defaultFontFamily: fontFamily,
    sansSerifFamily: fontFamily,
    serifFamily: fontFamily,
    monospaceFamily: fontFamily,
  };
  return (svg, width) => {
    const fitTo =
      width === null ? ({ mode: "original" } as const) : ({ mode: "width", value: width } as const);
    const picture = new Resvg(svg, { font, fitTo, background: "#ffffff" });
    const image = picture.render();
    const frame = { width: image.width, height: image.height, pixels: image.pixels };
    // Their memory is WebAssembly's, which no garbage collector sees.
    image.free();
    picture.free();
    return frame;
  };
}

/** Draws an SVG picture on white; `width` in pixels, or its own for `null`. */
export async function svgRenderer(operation: string): Promise<Renderer> {
  renderer ??= load();
  const draw = await renderer;
  return (svg, width) => {
    try {
      return draw(svg, width);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return fail(operation, `cannot draw ${JSON.stringify(svg.slice(0, 60))} …: ${reason}`);
    }
  };
}
