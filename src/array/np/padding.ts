// Padding an array with a constant or with elements of its own.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray, toDType } from "../core/coerce.js";
import { describe, fail } from "../core/errors.js";
import { checkChoice } from "../core/rules.js";
import { range } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import { pad as padPrimitive } from "../primitives/slice.js";
import { slice } from "./indexing.js";

/** How much padding: the same everywhere, before and after (as a pair or a list of one), or for each axis. */
export type PadWidth = number | Pair | readonly Pair[];

type Pair = readonly [before: number, after: number];

const modes = ["constant", "edge", "wrap", "reflect", "symmetric"] as const;

export interface PadOptions {
  /** What stands there: a constant (the default), the last element, or the array again, from the other end or mirrored. */
  readonly mode?: (typeof modes)[number];
  readonly constantValues?: ArrayLike;
}

/** The array surrounded with a constant or with repetitions of itself. */
export const pad = checked(
  "np.pad",
  3,
  ["mode", "constantValues"],
  (x: ArrayLike, padWidth: PadWidth, { mode = "constant", constantValues = 0 }: PadOptions = {}): Array => {
    checkChoice("pad", "mode", mode, modes);
    const array = asArray("pad", x);
    const widths = padWidths(padWidth, array.ndim);
    if (mode === "constant") {
      return bindOne(padPrimitive, [array, toDType("pad", constantValues, array.dtype)], {
        low: widths.map(([low]) => low),
        high: widths.map(([, high]) => high),
        interior: widths.map(() => 0),
      });
    }
    return widths.reduce((padded, [low, high], axis) => extend(padded, axis, low, high, mode), array);
  },
);

function padWidths(padWidth: PadWidth, ndim: number): Pair[] {
  if (typeof padWidth !== "number" && !globalThis.Array.isArray(padWidth)) {
    fail("pad", `padWidth must be a number, [before, after], or pairs of them, got ${describe(padWidth)}`);
  }
  const list: readonly (number | Pair)[] = typeof padWidth === "number" ? [padWidth, padWidth] : padWidth;
  const pairs = (typeof list[0] === "number" ? [list] : list) as readonly Pair[];
  const widths = pairs.length === 1 ? range(ndim).map(() => pairs[0]) : [...pairs];
  if (widths.length !== ndim || widths.some((pair) => pair.length !== 2 || !pair.every(Number.isInteger))) {
    fail("pad", `padWidth must be a number, [before, after], or one such pair for each of ${ndim} axes`);
  }
  if (widths.some(([low, high]) => low < 0 || high < 0)) fail("pad", "padding must not be negative");
  return widths;
}

/** Where the element comes from that stands at a position outside. */
const sources: Record<
  Exclude<(typeof modes)[number], "constant">,
  (position: number, extent: number) => number
> = {
  edge: (position, extent) => Math.min(Math.max(position, 0), extent - 1),
  wrap: modulo,
  reflect(position, extent) {
    const period = Math.max(1, 2 * (extent - 1));
    const folded = modulo(position, period);
    return Math.min(folded, period - folded);
  },
  symmetric(position, extent) {
    const folded = modulo(position, 2 * extent);
    return Math.min(folded, 2 * extent - 1 - folded);
  },
};

function modulo(position: number, period: number): number {
  return ((position % period) + period) % period;
}

/** Padding along one axis with elements of the array itself. */
function extend(x: Array, axis: number, low: number, high: number, mode: keyof typeof sources): Array {
  const extent = x.shape[axis];
  if (low + high === 0) return x;
  if (extent === 0) fail("pad", `cannot extend ${showType(x.type)} along its empty axis ${axis}`);
  const positions = range(low + extent + high, -low).map((position) => sources[mode](position, extent));
  return slice(x, ...range(axis).map(() => ":"), positions);
}
