// Resizing images: two products with constant matrices of weights, so that it compiles to plain products.
import { np, type Array } from "../../array/index.js";

/**
 * Row i has the weights of the old pixels in new pixel i: a triangle around its centre, as wide as a pixel of
 * the coarser of the two grids.
 */
function bilinearWeights(from: number, to: number): Array {
  const scale = from / to;
  const reach = Math.max(1, scale);
  const weights = globalThis.Array.from({ length: to }, (_, at) => {
    const centre = (at + 0.5) * scale - 0.5;
    const row = globalThis.Array.from({ length: from }, (_unused, pixel) =>
      Math.max(0, 1 - Math.abs(pixel - centre) / reach),
    );
    const total = row.reduce((sum, weight) => sum + weight, 0);
    return row.map((weight) => weight / total);
  });
  return np.array(weights);
}

/** A float image [h, w, c] scaled to fit height × width with its aspect kept, centred, zeros around it. */
export function resizeWithPad(image: Array, height: number, width: number): Array {
  const [h, w] = image.shape;
  const scale = Math.min(height / h, width / w);
  const [newHeight, newWidth] = [h, w].map((extent) => Math.max(1, Math.round(extent * scale)));
  const rows = newHeight === h ? image : np.einsum("ij,jkc->ikc", bilinearWeights(h, newHeight), image);
  const scaled = newWidth === w ? rows : np.einsum("ij,kjc->kic", bilinearWeights(w, newWidth), rows);
  const [top, left] = [Math.floor((height - newHeight) / 2), Math.floor((width - newWidth) / 2)];
  if (newHeight === height && newWidth === width) return scaled;
  return np.pad(scaled, [
    [top, height - newHeight - top],
    [left, width - newWidth - left],
    [0, 0],
  ]);
}
