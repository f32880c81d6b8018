// Making arrays: from nested lists and typed arrays, filled, counted, or on a diagonal.
import { checked } from "../core/checked.js";
import { Array, type ArrayLike, type Nested } from "../core/array.js";
import { asArray, broadcastTo, fitNumber, toDType } from "../core/coerce.js";
import {
  allocate,
  convertNumber,
  checkDType,
  dtypeOfStorage,
  isFloat,
  type DType,
  type TypedArray,
} from "../core/dtype.js";
import { describe, fail } from "../core/errors.js";
import { concrete, constant } from "../core/interpret.js";
import { checkWhole } from "../core/rules.js";
import { broadcastShapes, checkShape, normalizeAxis, showShape, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType } from "../core/type.js";
import { iota } from "../primitives/iota.js";
import { floor, where } from "./elementwise.js";
import { stack } from "./joining.js";

interface DTypeOption {
  readonly dtype?: DType;
}

/** What `np.array` makes arrays of: plain values, arrays, lists of these, or a typed array. */
export type ArrayData = ArrayLike | TypedArray | readonly ArrayData[];

/**
 * An array of nested lists, a typed array, a number or another array. Numbers give float32, booleans bool and
 * typed arrays their own dtype, unless `dtype` says otherwise.
 */
export const array = checked(
  "np.array",
  2,
  ["dtype"],
  (data: ArrayData, { dtype }: DTypeOption = {}): Array => {
    if (dtype !== undefined) checkDType("np.array", dtype);
    if (data instanceof Array) return dtype === undefined ? data : data.astype(dtype);
    if (ArrayBuffer.isView(data)) return fromTypedArray(data, dtype);
    if (globalThis.Array.isArray(data)) return fromList(data as readonly ArrayData[], dtype);
    return dtype === undefined ? asArray("np.array", data) : toDType("np.array", data as ArrayLike, dtype);
  },
);
export const asarray = array;

function fromTypedArray(data: TypedArray, dtype: DType | undefined): Array {
  if (
    !(data instanceof Float32Array) &&
    !(data instanceof Float64Array) &&
    !(data instanceof Int32Array) &&
    !(data instanceof Uint32Array) &&
    !(data instanceof Uint8Array)
  ) {
    fail(
      "np.array",
      `cannot take a ${(data as object).constructor.name}; use Float32Array, Int32Array, Uint32Array or Uint8Array`,
    );
  }
  // Doubles are what JavaScript computes with; float64 arrays are made only on request.
  const from = dtypeOfStorage(data);
  const to = dtype ?? (from === "float64" ? "float32" : from);
  const elements = allocate(to, data.length);
  for (let at = 0; at < data.length; at++) elements[at] = convertNumber(data[at], from, to);
  return concrete(arrayType([data.length], to), elements);
}

function fromList(data: readonly ArrayData[], dtype: DType | undefined): Array {
  if (containsArray(data)) {
    const rows = stack(data.map((item) => (typeof item === "object" ? array(item) : item)));
    return dtype === undefined ? rows : rows.astype(dtype);
  }
  const shape = listShape(data as Nested);
  const flat: unknown[] = data.flat(Infinity as 1);
  const odd = flat.findIndex((value) => typeof value !== "number" && typeof value !== "boolean");
  if (odd >= 0) fail("np.array", `elements must be numbers or booleans, got ${describe(flat[odd])}`);
  const allBool = flat.length > 0 && flat.every((value) => typeof value === "boolean");
  const to = dtype ?? (allBool ? "bool" : "float32");
  const elements = allocate(to, flat.length);
  flat.forEach((value, at) => {
    elements[at] = fitNumber("np.array", Number(value), to);
  });
  return concrete(arrayType(shape, to), elements);
}

const containsArray = (data: unknown): boolean =>
  data instanceof Array ||
  ArrayBuffer.isView(data) ||
  (globalThis.Array.isArray(data) && data.some(containsArray));

/** The shape of nested lists, refused when rows differ. */
function listShape(data: Nested): Shape {
  if (!globalThis.Array.isArray(data)) return [];
  const list = data as readonly Nested[];
  const shapes = list.map(listShape);
  const [first = []] = shapes;
  const odd = shapes.findIndex((shape) => showShape(shape) !== showShape(first));
  if (odd >= 0) {
    fail(
      "np.array",
      `rows must have one shape: row 0 has ${showShape(first)}, row ${odd} has ${showShape(shapes[odd])}`,
    );
  }
  return [list.length, ...first];
}

const caster = (dtype: DType) =>
  checked(`np.${dtype}`, 1, (data: ArrayData): Array => array(data, { dtype }));

/** Values as float32. */
export const float32 = caster("float32");
/** Values as float64, for checks in the interpreter. */
export const float64 = caster("float64");
export const int32 = caster("int32");
export const uint32 = caster("uint32");
export const uint8 = caster("uint8");
export const bool = caster("bool");

/** An array of `shape` with the same value everywhere. A number gives float32 unless `dtype` says otherwise. */
export const full = checked(
  "np.full",
  3,
  ["dtype"],
  (shape: number | Shape, value: ArrayLike, { dtype }: DTypeOption = {}): Array => {
    if (dtype !== undefined) checkDType("np.full", dtype);
    const filler = dtype === undefined ? asArray("np.full", value) : toDType("np.full", value, dtype);
    return broadcastTo(
      "np.full",
      filler.weakType ? filler.astype(filler.dtype) : filler,
      checkShape("np.full", shape),
    );
  },
);

/** An array of zeros, float32 by default. */
export const zeros = checked(
  "np.zeros",
  2,
  ["dtype"],
  (shape: number | Shape, { dtype = "float32" }: DTypeOption = {}): Array => full(shape, 0, { dtype }),
);
/** An array of ones, float32 by default. */
export const ones = checked(
  "np.ones",
  2,
  ["dtype"],
  (shape: number | Shape, { dtype = "float32" }: DTypeOption = {}): Array => full(shape, 1, { dtype }),
);
export const zerosLike = checked(
  "np.zerosLike",
  2,
  ["dtype"],
  (like: ArrayLike, options: DTypeOption = {}): Array => fullLike(like, 0, options),
);
export const onesLike = checked(
  "np.onesLike",
  2,
  ["dtype"],
  (like: ArrayLike, options: DTypeOption = {}): Array => fullLike(like, 1, options),
);
/** An array of the same shape and dtype with the same value everywhere. */
export const fullLike = checked(
  "np.fullLike",
  3,
  ["dtype"],
  (like: ArrayLike, value: ArrayLike, { dtype }: DTypeOption = {}): Array => {
    const { shape, dtype: own } = asArray("np.fullLike", like);
    return full(shape, value, { dtype: dtype ?? own });
  },
);

/** start, start + step, … below stop; int32 when all three are whole numbers, else float32. */
export const arange = checked(
  "np.arange",
  4,
  ["dtype"],
  (start: number, stop?: number, step = 1, { dtype }: DTypeOption = {}): Array => {
    const [from, to] = stop === undefined ? [0, start] : [start, stop];
    for (const value of [from, to, step]) {
      if (typeof value !== "number" || !Number.isFinite(value) || step === 0) {
        fail(
          "np.arange",
          `start, stop and step must be finite numbers and step not 0, got ${from}, ${to}, ${step}`,
        );
      }
    }
    const whole = [from, to, step].every(Number.isInteger);
    const target = dtype ?? (whole ? "int32" : "float32");
    checkDType("np.arange", target);
    if (target === "bool")
      fail("np.arange", "cannot count in bool; compare the result with something instead");
    if (!isFloat(target)) [from, to - Math.sign(step)].forEach((end) => fitNumber("np.arange", end, target));
    const count = Math.max(0, Math.ceil((to - from) / step));
    const positions = bindOne(iota, [], { shape: [count], axis: 0, dtype: target });
    const scaled = step === 1 ? positions : positions.mul(constant(step, target));
    return from === 0 ? scaled : scaled.add(constant(from, target));
  },
);

/** `num` evenly spaced numbers from start to stop. */
export const linspace = checked(
  "np.linspace",
  4,
  ["endpoint", "dtype"],
  (
    start: ArrayLike,
    stop: ArrayLike,
    num = 50,
    { endpoint = true, dtype = "float32" }: DTypeOption & { readonly endpoint?: boolean } = {},
  ): Array => {
    checkWhole("np.linspace", "num", num, 0);
    checkDType("np.linspace", dtype);
    const gaps = Math.max(1, endpoint ? num - 1 : num);
    const working = isFloat(dtype) ? dtype : "float32";
    const [from, to] = [start, stop].map((end) => asArray("np.linspace", end).astype(working));
    const ends = broadcastShapes("np.linspace", from.shape, to.shape);
    const fraction = bindOne(iota, [], { shape: [num, ...ends.map(() => 1)], axis: 0, dtype: working }).div(
      gaps,
    );
    // Weighted ends, so that the last number is stop exactly.
    const numbers = fraction.neg().add(1).mul(from).add(fraction.mul(to));
    return isFloat(dtype) ? numbers : floor(numbers).astype(dtype);
  },
);

/** Ones on a diagonal, zeros elsewhere; `k` counts diagonals upwards from the main one. */
export const eye = checked(
  "np.eye",
  3,
  ["k", "dtype"],
  (
    rows: number,
    columns: number | null = null,
    { k = 0, dtype = "float32" }: DTypeOption & { readonly k?: number } = {},
  ): Array => {
    checkWhole("np.eye", "k", k);
    return diagonalDistance("np.eye", checkShape("np.eye", [rows, columns ?? rows]))
      .equal(k)
      .astype(dtype);
  },
);

/** column − row for every element of the last two axes. */
function diagonalDistance(operation: string, shape: Shape): Array {
  const [column, row] = [-1, -2].map((axis) =>
    bindOne(iota, [], { shape, axis: normalizeAxis(operation, axis, shape.length), dtype: "int32" }),
  );
  return column.sub(row);
}

/** The lower triangle of the last two axes, zeros above diagonal `k`. */
export const tril = checked("np.tril", 2, (x: ArrayLike, k = 0): Array => {
  const array = asArray("np.tril", x);
  return where(diagonalDistance("np.tril", array.shape).lessEqual(k), array, 0);
});
/** The upper triangle of the last two axes, zeros below diagonal `k`. */
export const triu = checked("np.triu", 2, (x: ArrayLike, k = 0): Array => {
  const array = asArray("np.triu", x);
  return where(diagonalDistance("np.triu", array.shape).greaterEqual(k), array, 0);
});
