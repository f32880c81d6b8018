// Spaces as plain data, as checkpoints and files of policies hold them.
import { np, type Array, type Shape } from "../array/index.js";
import { Box, Discrete, Image, MultiBinary, type Space } from "./spaces.js";

/** A bound of all numbers, or of each; JSON has no infinity, which is `null`. */
type BoundData = number | null | readonly (number | null)[];

/** A space as JSON. */
export type SpaceData =
  | { readonly kind: "Discrete" | "MultiBinary"; readonly n: number }
  | {
      readonly kind: "Box";
      readonly shape: Shape;
      readonly dtype: string;
      readonly low: BoundData;
      readonly high: BoundData;
    }
  | {
      readonly kind: "Image";
      readonly shape: Shape;
      readonly dtype: string;
      readonly low: number;
      readonly high: number;
    };

/** The number with the fewest digits that is the same in float32: 0.1, not 0.10000000149011612. */
function shortest(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === Math.fround(value)) return shorter;
  }
  return value;
}

function boundData(bound: Array): BoundData {
  const numbers = [...bound.data()].map((value) => (Number.isFinite(value) ? shortest(value) : null));
  return new Set(numbers).size === 1 ? numbers[0] : numbers;
}

/** A space as plain data. */
export function spaceToData(space: Space): SpaceData {
  switch (space.kind) {
    case "Discrete":
    case "MultiBinary":
      return { kind: space.kind, n: space.n };
    case "Box": {
      const { kind, shape, dtype, low, high } = space;
      return { kind, shape, dtype, low: boundData(low), high: boundData(high) };
    }
    case "Image": {
      const { kind, shape, dtype, low, high } = space;
      return { kind, shape, dtype, low, high };
    }
  }
}

/** The space that plain data tell of; `null` where they tell of none. */
export function spaceFromData(data: unknown): Space | null {
  try {
    return typeof data === "object" && data !== null
      ? spaceOf(data as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    // What another program, or another version, has written there is no reason not to act.
    return null;
  }
}

function spaceOf(data: Readonly<Record<string, unknown>>): Space | null {
  const { kind, n, shape, dtype, low, high } = data as Record<string, never>;
  switch (kind as string) {
    case "Discrete":
      return Discrete(n);
    case "MultiBinary":
      return MultiBinary(n);
    case "Box":
      return Box({ shape, dtype, low: boundOf(low, shape, -Infinity), high: boundOf(high, shape, Infinity) });
    case "Image": {
      const [height, width, channels] = shape as readonly number[];
      return Image({ height, width, channels, dtype, low, high });
    }
    default:
      return null;
  }
}

const boundOf = (bound: BoundData, shape: Shape, infinite: number): Array | number =>
  typeof bound === "object" && bound !== null
    ? np.array(bound.map((value) => value ?? infinite)).reshape(shape)
    : (bound ?? infinite);
