// One picture of a video.

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity of each pixel, row by row. Opacity is ignored. */
  readonly pixels: Uint8Array | Uint8ClampedArray;
}

/** A pixel's colour as one number: 0xrrggbb. */
export const colorAt = (pixels: Frame["pixels"], pixel: number): number =>
  (pixels[4 * pixel] << 16) | (pixels[4 * pixel + 1] << 8) | pixels[4 * pixel + 2];
