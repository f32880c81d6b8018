// Rows and columns of a tile: their numbers, whether they are there, and where they are along their axes.
import { extentOf, type ProductAxis } from "../../schedule/product.js";
import { positionsOf } from "../indices.js";
import type { KernelText } from "../surroundings.js";

export interface Line {
  /** Whether it is there at all; null for always. */
  readonly isThere: string | null;
  readonly positions: readonly string[];
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/**
 * The lines that are so far behind a first one. Those beyond the last one stay at the last, or at the last vector where
 * lines come in vectors of a unit; `isWhole` says that there are none.
 */
export function linesAt(
  { out }: KernelText,
  first: string,
  offsets: readonly number[],
  axes: readonly ProductAxis[],
  { unit = 1, isWhole }: { readonly unit?: number; readonly isWhole: boolean },
): Line[] {
  const extents = axes.map(({ extent }) => extent);
  const count = extentOf(axes);
  const lines: Line[] = [];
  for (let at = 0; at < offsets.length; at += unit) {
    const index = out.plus(first, offsets[at]);
    const isThere = isWhole ? null : out.pure("setp.lt.s32", "pred", index, String(count));
    const held = isWhole ? index : out.pure("min.s32", "b32", index, String(count - unit));
    const positions = positionsOf(out, held, extents);
    range(unit).forEach((behind) =>
      lines.push({
        isThere,
        positions: positions.map((position, axis) =>
          axis === positions.length - 1 ? out.plus(position, behind) : position,
        ),
      }),
    );
  }
  return lines;
}
