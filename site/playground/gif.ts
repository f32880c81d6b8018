// An episode's pictures as an animated GIF: the browser draws them, one by one, so that the page goes on meanwhile.
import { createGif, type Frame } from "vibe-rl/plotting";

/** How many frames the colours are chosen from. */
const sampled = 8;

/** Draws SVG texts into pixels of one size. */
async function painter(first: string, width: number): Promise<(svg: string) => Promise<Frame>> {
  const size = await sizeOf(first);
  const height = Math.max(1, Math.round((width * size.height) / size.width));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("this browser has no canvas to draw on");
  return async (svg) => {
    const image = await imageOf(svg, width, height);
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, width, height);
    context.drawImage(image, 0, 0, width, height);
    return { width, height, pixels: context.getImageData(0, 0, width, height).data };
  };
}

/** How large a picture says that it is. */
async function sizeOf(svg: string): Promise<{ readonly width: number; readonly height: number }> {
  const root = parsed(svg);
  const [, , width, height] = (root.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  if (width > 0 && height > 0) return { width, height };
  const image = await imageOf(svg, 0, 0);
  return { width: image.naturalWidth, height: image.naturalHeight };
}

const parsed = (svg: string): Element =>
  new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;

async function imageOf(svg: string, width: number, height: number): Promise<HTMLImageElement> {
  const root = parsed(svg);
  // Images without a size of their own are drawn in a size that browsers do not agree on.
  if (width > 0) {
    root.setAttribute("width", String(width));
    root.setAttribute("height", String(height));
  }
  const address = URL.createObjectURL(new Blob([root.outerHTML], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** The bytes of a GIF. */
export async function gifOf(
  pictures: readonly string[],
  {
    width,
    fps,
    tell,
  }: { readonly width: number; readonly fps: number; readonly tell: (text: string) => void },
): Promise<Uint8Array> {
  const paint = await painter(pictures[0], width);
  const places = Array.from({ length: sampled }, (_, at) =>
    Math.round((at * (pictures.length - 1)) / (sampled - 1)),
  );
  const sample: Frame[] = [];
  for (const place of new Set(places)) sample.push(await paint(pictures[place]));
  const gif = createGif(sample, { fps });
  for (const [at, picture] of pictures.entries()) {
    gif.add(await paint(picture));
    if (at % 25 === 0) tell(`Drawing ${at} of ${pictures.length} …`);
  }
  return gif.finish();
}
