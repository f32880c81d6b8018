// Spaces: the shape, dtype and range of observations and actions. Sampling and membership are traceable.
import {
  Array,
  check,
  fail,
  np,
  random,
  rules,
  type ArrayLike,
  type DType,
  type Shape,
} from "../array/index.js";

interface SpaceOf<Kind extends string, D extends DType> {
  readonly kind: Kind;
  readonly shape: Shape;
  readonly dtype: D;
  /** A random element. */
  readonly sample: (key: Array) => Array;
  /** Whether x is an element: a bool scalar. False, too, for another shape or dtype. */
  readonly contains: (x: ArrayLike) => Array;
  /** The space in words, as it reads in messages. */
  toString(): string;
}

/** Numbers between bounds, which may be infinite; `low` and `high` have the shape of the space. */
export interface Box extends SpaceOf<"Box", "float32" | "int32" | "uint8"> {
  readonly low: Array;
  readonly high: Array;
}
/** The whole numbers 0 … n − 1, an int32 scalar. */
export interface Discrete extends SpaceOf<"Discrete", "int32"> {
  readonly n: number;
}
/** Independent yes-or-no values, dtype bool. */
export interface MultiBinary extends SpaceOf<"MultiBinary", "bool"> {
  readonly n: number;
}
/** Images [height, width, channels]: uint8, or floats between `low` and `high`. */
export interface Image extends SpaceOf<"Image", "uint8" | "float32"> {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly low: number;
  readonly high: number;
}

export type Space = Box | Discrete | MultiBinary | Image;

export interface BoxOptions {
  /** Least value, for all elements or for each. Default -Infinity. */
  readonly low?: ArrayLike | readonly number[];
  /** Largest value, for all elements or for each. Default Infinity. */
  readonly high?: ArrayLike | readonly number[];
  /** Default: the shape of the bounds. */
  readonly shape?: Shape;
  /** Default float32. */
  readonly dtype?: Box["dtype"];
}

/** Numbers between `low` and `high`, both included. */
export function Box({
  low = -Infinity,
  high = Infinity,
  shape = wider(low, high),
  dtype = "float32",
}: BoxOptions): Box {
  checkExtents("Box", shape);
  const choices = ["float32", "int32", "uint8"];
  if (!choices.includes(dtype)) fail("Box", `dtype must be one of ${choices.join(", ")}, got ${dtype}`);
  const known = [low, high].map(numbersOf);
  const isFinite = known.every((numbers) => numbers?.every(Number.isFinite) ?? false);
  if (dtype !== "float32" && !isFinite) {
    fail("Box", `a space of dtype ${dtype} needs finite bounds known while tracing; give low and high`);
  }
  if (dtype === "int32" && known[1]?.some((bound) => bound >= 2 ** 31 - 1)) {
    fail("Box", `high must be below 2147483647 for dtype int32, got ${known[1].join()}`);
  }
  checkOrder(known);
  const [least, most] = [low, high].map((bound) =>
    np.broadcastTo(np.array(bound as ArrayLike, { dtype }), shape),
  ) as [Array, Array];
  const text = (numbers: readonly number[] | null) =>
    numbers === null ? "?" : new Set(numbers).size === 1 ? String(numbers[0]) : `[${numbers.join()}]`;
  return {
    kind: "Box",
    shape,
    dtype,
    low: least,
    high: most,
    sample: (key) =>
      dtype === "float32"
        ? sampleReals(key, shape, least, most, isFinite)
        : random.randint(key, shape, least.astype("int32"), most.astype("int32").add(1)).astype(dtype),
    contains: (x) =>
      ifFits(x, shape, [dtype], (value) => value.greaterEqual(least).and(value.lessEqual(most)).all()),
    toString: () => `Box(${dtype}${show(shape)} from ${text(known[0])} to ${text(known[1])})`,
  };
}

/** Uniform between finite bounds, exponential from a single one, normal without any. */
function sampleReals(key: Array, shape: Shape, low: Array, high: Array, isFinite: boolean): Array {
  const u = random.uniform(key, shape);
  // Weighted ends: the difference of two large bounds would overflow.
  const between = low.mul(u.neg().add(1)).add(high.mul(u)).clip(low, high);
  if (isFinite) return between;
  const normal = np.erfInv(u.mul(2).sub(1).clip(-0.9999999, null)).mul(Math.SQRT2);
  const beyond = np.log1p(u.neg()).neg();
  const [hasLow, hasHigh] = [np.isfinite(low), np.isfinite(high)];
  return np.where(
    hasLow.and(hasHigh),
    between,
    np.where(hasLow, low.add(beyond), np.where(hasHigh, high.sub(beyond), normal)),
  );
}

/** The whole numbers 0 … n − 1. */
export function Discrete(n: number): Discrete {
  check("Discrete", "n", n, rules.whole(1));
  return {
    kind: "Discrete",
    n,
    shape: [],
    dtype: "int32",
    sample: (key) => random.randint(key, [], 0, n),
    contains: (x) =>
      ifFits(x, [], ["int32", "uint32", "uint8"], (value) => value.greaterEqual(0).and(value.less(n))),
    toString: () => `Discrete(${n})`,
  };
}

/** n independent yes-or-no values. */
export function MultiBinary(n: number): MultiBinary {
  check("MultiBinary", "n", n, rules.whole(1));
  return {
    kind: "MultiBinary",
    n,
    shape: [n],
    dtype: "bool",
    sample: (key) => random.bernoulli(key, 0.5, [n]),
    contains: (x) => ifFits(x, [n], ["bool"], () => np.bool(true)),
    toString: () => `MultiBinary(${n})`,
  };
}

export interface ImageOptions {
  readonly height: number;
  readonly width: number;
  /** 3 for RGB, 1 for grey. Default 3. */
  readonly channels?: number;
  /** Default uint8. */
  readonly dtype?: Image["dtype"];
  /** Value of black. Default 0. */
  readonly low?: number;
  /** Value of white. Default 255 for uint8, 1 for float32. */
  readonly high?: number;
}

/** Images with the channels last. */
export function Image({
  height,
  width,
  channels = 3,
  dtype = "uint8",
  low = 0,
  high = dtype === "uint8" ? 255 : 1,
}: ImageOptions): Image {
  for (const [name, extent] of Object.entries({ height, width, channels })) {
    check("Image", name, extent, rules.whole(1));
  }
  const shape = [height, width, channels];
  const { sample, contains } = Box({ low, high, shape, dtype });
  const range = dtype === "uint8" && low === 0 && high === 255 ? "" : ` from ${low} to ${high}`;
  return {
    kind: "Image",
    shape,
    dtype,
    height,
    width,
    channels,
    low,
    high,
    sample,
    contains,
    toString: () => `Image(${dtype}${show(shape)}${range})`,
  };
}

const show = (shape: Shape): string => `[${shape.join()}]`;

/** A check of the elements of x, or false where x has not even the shape and dtype. */
function ifFits(
  x: ArrayLike,
  shape: Shape,
  dtypes: readonly [DType, ...DType[]],
  check: (value: Array) => Array,
): Array {
  const value = x instanceof Array ? x : plainValue(x, dtypes[0]);
  const fits = value !== null && show(value.shape) === show(shape) && dtypes.includes(value.dtype);
  return fits ? check(value) : np.bool(false);
}

/** A plain number or boolean in a space's dtype, or null if it has none such. */
function plainValue(x: number | boolean, dtype: DType): Array | null {
  if (dtype === "bool" || typeof x === "boolean") {
    return dtype === "bool" && typeof x === "boolean" ? np.bool(x) : null;
  }
  return dtype === "float32" ||
    (Number.isInteger(x) && Math.abs(x) < 2 ** 31 && (dtype === "int32" || x >= 0))
    ? np.array(x, { dtype })
    : null;
}

type Bound = ArrayLike | readonly number[];

/** The numbers of a bound, or null while they are traced. */
function numbersOf(bound: Bound): readonly number[] | null {
  if (typeof bound === "number" || typeof bound === "boolean") return [Number(bound)];
  if (!(bound instanceof Array)) return bound;
  return bound.tracer === null ? [...bound.data()] : null;
}

function checkOrder([low, high]: readonly (readonly number[] | null)[]): void {
  if (low === null || high === null) return;
  const at = globalThis.Array.from({ length: Math.max(low.length, high.length) }).findIndex(
    (_, index) => !(low[index % low.length] <= high[index % high.length]),
  );
  if (at >= 0) {
    fail(
      "Box",
      `low must not be above high, got ${low[at % low.length]} and ${high[at % high.length]}${low.length + high.length > 2 ? ` at element ${at}` : ""}`,
    );
  }
}

const shapeOf = (bound: Bound): Shape =>
  bound instanceof Array ? bound.shape : typeof bound === "object" ? [bound.length] : [];
const wider = (low: Bound, high: Bound): Shape => {
  const [a, b] = [shapeOf(low), shapeOf(high)];
  return a.length >= b.length ? a : b;
};

const checkExtents = (operation: string, shape: unknown): void =>
  check(operation, "shape", shape, rules.listOf("whole numbers of at least 1", rules.whole(1)));
