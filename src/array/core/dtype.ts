// The element types of arrays, their typed-array storage, and how types combine.
import { describe, fail } from "./errors.js";

/** The element types an array can have. `float64` exists in the interpreter only, for checks. */
export type DType = "bool" | "uint8" | "uint32" | "int32" | "float32" | "float64";

/** The storage of a concrete array: row-major, one element per value; `bool` is 0 or 1 in a `Uint8Array`. */
export type TypedArray = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array;

const storage = {
  bool: Uint8Array,
  uint8: Uint8Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

/** Every dtype, in order of promotion: of two dtypes the later one holds the result. */
export const dtypes = Object.keys(storage) as readonly DType[];

/** Refuses a name that is no dtype. */
export function checkDType(operation: string, dtype: unknown): void {
  if (!dtypes.some((known) => known === dtype)) {
    fail(operation, `unknown dtype ${describe(dtype)}; there are ${dtypes.join(", ")}`);
  }
}

export const isFloat = (dtype: DType): boolean => dtype === "float32" || dtype === "float64";
export const isInteger = (dtype: DType): boolean =>
  dtype === "int32" || dtype === "uint32" || dtype === "uint8";

/** Bytes one element takes in memory. */
export const itemSize = (dtype: DType): number => storage[dtype].BYTES_PER_ELEMENT;

/** Zero-filled storage for `size` elements. */
export const allocate = (dtype: DType, size: number): TypedArray => new storage[dtype](size);

/** Storage of a dtype over bytes that are there already. */
export const viewBytes = (dtype: DType, bytes: ArrayBuffer, offset: number, size: number): TypedArray =>
  new storage[dtype](bytes, offset, size);

/** The dtype that stores a typed array's elements as they are. */
export function dtypeOfStorage(data: TypedArray): DType {
  if (data instanceof Float32Array) return "float32";
  if (data instanceof Float64Array) return "float64";
  if (data instanceof Int32Array) return "int32";
  if (data instanceof Uint32Array) return "uint32";
  return "uint8";
}

/** The range of an integer dtype; `bool` counts as 0..1. */
export function integerRange(dtype: DType): readonly [low: number, high: number] {
  switch (dtype) {
    case "bool":
      return [0, 1];
    case "uint8":
      return [0, 255];
    case "uint32":
      return [0, 0xffffffff];
    default:
      return [-0x80000000, 0x7fffffff];
  }
}

/** The smallest (-1) or largest (1) value of a dtype, infinite for floats: where extremes start from. */
export const limitOf = (dtype: DType, side: -1 | 1): number =>
  isFloat(dtype) ? side * Infinity : integerRange(dtype)[side < 0 ? 0 : 1];

/**
 * One number as an element of `dtype`. Floats become integers by truncation towards zero, clamped to the
 * range, NaN becoming 0; integers wrap around; anything but zero is true.
 */
export function convertNumber(value: number, from: DType, to: DType): number {
  if (to === "float32") return Math.fround(value);
  if (to === "float64") return value;
  if (to === "bool") return value !== 0 ? 1 : 0;
  if (isFloat(from)) {
    if (Number.isNaN(value)) return 0;
    const [low, high] = integerRange(to);
    return Math.min(Math.max(Math.trunc(value), low), high);
  }
  if (to === "int32") return value | 0;
  return to === "uint32" ? value >>> 0 : value & 0xff;
}

/** A dtype, and whether it came from plain numbers alone and so gives way to the other operand's. */
export interface WeakDType {
  readonly dtype: DType;
  readonly weak: boolean;
}

// JAX's promotion lattice restricted to our dtypes is a chain: bool < any integer number < uint8 < uint32 <
// int32 < any real number < float32 < float64.
const chain: readonly WeakDType[] = [
  { dtype: "bool", weak: false },
  { dtype: "int32", weak: true },
  { dtype: "uint8", weak: false },
  { dtype: "uint32", weak: false },
  { dtype: "int32", weak: false },
  { dtype: "float32", weak: true },
  { dtype: "float32", weak: false },
  { dtype: "float64", weak: false },
];

// A weak bool, uint8, uint32 or float64 has no place of its own in the chain: it is as good as typed.
const rankOf = (weak: boolean) =>
  Object.fromEntries(
    dtypes.map((dtype) => {
      const exact = chain.findIndex((step) => step.dtype === dtype && step.weak === weak);
      return [dtype, exact >= 0 ? exact : chain.findIndex((step) => step.dtype === dtype)];
    }),
  ) as Record<DType, number>;
const weakRank = rankOf(true);
const typedRank = rankOf(false);

/** The dtype in which operands of these dtypes meet, by JAX's rules. */
export function promoteDTypes(types: readonly WeakDType[]): WeakDType {
  let best = 0;
  for (const { dtype, weak } of types) best = Math.max(best, (weak ? weakRank : typedRank)[dtype]);
  return chain[best];
}
