// Arrays of coordinates and of numbers at even ratios.
import { checked } from "../core/checked.js";
import { Array, type ArrayLike } from "../core/array.js";
import { asArray, broadcastTo, promoteToFloat } from "../core/coerce.js";
import { checkDType, isFloat, type DType } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { isPlainObject } from "../core/plainObject.js";
import { tellNearest } from "../core/nearest.js";
import { checkChoice, checkWhole } from "../core/rules.js";
import { checkShape, range, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { showType } from "../core/type.js";
import { markEntry } from "../core/userCode.js";
import { iota } from "../primitives/iota.js";
import { linspace } from "./creation.js";
import { divide, power, sign, where } from "./elementwise.js";
import { exp, log } from "./realFunctions.js";
import { stack } from "./joining.js";

export interface MeshgridOptions {
  /** Whether the first vector runs along columns ("xy", the default) or along rows ("ij"). */
  readonly indexing?: "xy" | "ij";
  /** Whether to leave out the repetitions, for results that broadcast. Default false. */
  readonly sparse?: boolean;
}

const isOptions = (value: unknown): value is MeshgridOptions =>
  isPlainObject(value) && !(value instanceof Array);

/** The coordinates of a grid: `meshgrid(x, y)`, with options behind the vectors: `meshgrid(x, y, { indexing: "ij" })`. */
export const meshgrid = markEntry((...args: readonly (ArrayLike | MeshgridOptions)[]): Array[] => {
  const last = args[args.length - 1];
  const options = isOptions(last) ? last : {};
  const known = ["indexing", "sparse"];
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) fail("np.meshgrid", `there is no option ${name}; ${tellNearest(name, known)}`);
  }
  const { indexing = "xy", sparse = false } = options;
  checkChoice("np.meshgrid", "indexing", indexing, ["xy", "ij"]);
  const vectors = (isOptions(last) ? args.slice(0, -1) : args).map((x) => {
    const vector = asArray("np.meshgrid", x);
    return vector.ndim <= 1
      ? vector.reshape(-1)
      : fail("np.meshgrid", `needs vectors, got ${showType(vector.type)}`);
  });
  // "xy" exchanges the first two axes.
  const axes = range(vectors.length);
  const placed = indexing === "xy" && axes.length > 1 ? [1, 0, ...axes.slice(2)] : axes;
  const shape = axes.map((axis) => vectors[placed.indexOf(axis)].size);
  return vectors.map((vector, at) => {
    const open = vector.reshape(axes.map((axis) => (axis === placed[at] ? vector.size : 1)));
    return sparse ? open : broadcastTo("np.meshgrid", open, shape);
  });
}, "np.meshgrid");

interface DTypeOption {
  readonly dtype?: DType;
}

/** The index of every element along each axis of a shape, as one array with the axes in front. */
export const indices = checked(
  "np.indices",
  2,
  ["dtype"],
  (dimensions: Shape, { dtype = "int32" }: DTypeOption = {}): Array => {
    const shape = checkShape("np.indices", dimensions);
    checkDType("np.indices", dtype);
    if (shape.length === 0) fail("np.indices", "needs at least one dimension");
    return stack(shape.map((_, axis) => bindOne(iota, [], { shape, axis, dtype: "int32" }))).astype(dtype);
  },
);

/** Ones on and below diagonal `k`, zeros above. */
export const tri = checked(
  "np.tri",
  4,
  ["dtype"],
  (rows: number, columns: number | null = null, k = 0, { dtype = "float32" }: DTypeOption = {}): Array => {
    checkWhole("np.tri", "k", k);
    const shape = checkShape("np.tri", [rows, columns ?? rows]);
    const [row, column] = [0, 1].map((axis) => bindOne(iota, [], { shape, axis, dtype: "int32" })) as [
      Array,
      Array,
    ];
    return column.lessEqual(row.add(k)).astype(dtype);
  },
);

interface SpacingOptions extends DTypeOption {
  readonly endpoint?: boolean;
}

export interface LogspaceOptions extends SpacingOptions {
  /** What is raised to the powers. Default 10. */
  readonly base?: number;
}

/** `num` numbers from base^start to base^stop, their logarithms evenly spaced. */
export const logspace = checked(
  "np.logspace",
  4,
  ["endpoint", "base", "dtype"],
  (
    start: ArrayLike,
    stop: ArrayLike,
    num = 50,
    { endpoint = true, base = 10, dtype = "float32" }: LogspaceOptions = {},
  ): Array => {
    const working = isFloat(dtype) ? dtype : "float32";
    const powers = power(
      asArray("np.logspace", base),
      linspace(start, stop, num, { endpoint, dtype: working }),
    );
    return powers.astype(dtype);
  },
);

/** `num` numbers from start to stop at even ratios. */
export const geomspace = checked(
  "np.geomspace",
  4,
  ["endpoint", "dtype"],
  (
    start: ArrayLike,
    stop: ArrayLike,
    num = 50,
    { endpoint = true, dtype = "float32" }: SpacingOptions = {},
  ): Array => {
    checkWhole("np.geomspace", "num", num, 0);
    checkDType("np.geomspace", dtype);
    const [from, to] = promoteToFloat("np.geomspace", [start, stop]) as [Array, Array];
    const working = isFloat(dtype) ? dtype : "float32";
    const exponents = linspace(log(divide(from, sign(from))), log(divide(to, sign(from))), num, {
      endpoint,
      dtype: working,
    });
    const numbers = exp(exponents).mul(sign(from));
    // The ends are exact.
    const place = bindOne(iota, [], {
      shape: [num, ...numbers.shape.slice(1).map(() => 1)],
      axis: 0,
      dtype: "int32",
    });
    const fromStart = where(place.equal(0), from, numbers);
    return (endpoint && num > 1 ? where(place.equal(num - 1), to, fromStart) : fromStart).astype(dtype);
  },
);
