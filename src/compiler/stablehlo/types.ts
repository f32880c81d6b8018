// Types and numbers as StableHLO writes them.
import type { ArrayType, DType, Shape } from "../../array/index.js";

/** What elements of a tensor can be: our dtypes, and bits of doubles inside of a rule. */
export type Element = DType | "uint64";

export interface TensorType {
  readonly shape: Shape;
  readonly dtype: Element;
}

const elements: Readonly<Record<Element, string>> = {
  bool: "i1",
  uint8: "ui8",
  uint32: "ui32",
  uint64: "ui64",
  int32: "i32",
  float32: "f32",
  float64: "f64",
};

/** `tensor<3x4xf32>`. */
export const showTensor = ({ shape, dtype }: TensorType): string =>
  `tensor<${[...shape, elements[dtype]].join("x")}>`;

export const showTensors = (types: readonly TensorType[]): string => types.map(showTensor).join(", ");

/** A list of results: one bare, several in parentheses. */
export const showResults = (types: readonly TensorType[]): string =>
  types.length === 1 ? showTensor(types[0]) : `(${showTensors(types)})`;

export const tensor = (shape: Shape, dtype: Element): TensorType => ({ shape, dtype });

export const tensorOf = ({ shape, dtype }: ArrayType): TensorType => ({ shape, dtype });

export const sameType = (a: TensorType, b: TensorType): boolean =>
  a.dtype === b.dtype &&
  a.shape.length === b.shape.length &&
  a.shape.every((extent, at) => extent === b.shape[at]);

/** `[1, 0]`. */
export const showList = (numbers: readonly (number | string)[]): string => `[${numbers.join(", ")}]`;

/** `array<i64: 1, 0>`. */
export const showNumbers = (numbers: readonly number[]): string =>
  numbers.length === 0 ? "array<i64>" : `array<i64: ${numbers.join(", ")}>`;

const bits = new DataView(new ArrayBuffer(8));

/** A number as an element of a dtype, by its bits where decimals do not have it. */
export function showNumber(value: number, dtype: Element): string {
  if (dtype === "bool") return value !== 0 ? "true" : "false";
  if (dtype === "float32")
    return Number.isFinite(value) ? showDecimal(value, Math.fround) : showBits(value, dtype);
  if (dtype === "float64")
    return Number.isFinite(value) ? showDecimal(value, (x) => x) : showBits(value, dtype);
  if (dtype === "int32") return String(value | 0);
  return String(dtype === "uint8" ? value & 0xff : dtype === "uint32" ? value >>> 0 : value);
}

function showBits(value: number, dtype: "float32" | "float64"): string {
  if (dtype === "float32") {
    bits.setFloat32(0, value);
    return `0x${bits.getUint32(0).toString(16).toUpperCase().padStart(8, "0")}`;
  }
  bits.setFloat64(0, value);
  return `0x${bits.getBigUint64(0).toString(16).toUpperCase().padStart(16, "0")}`;
}

/** The shortest decimal number that is rounded to a value. */
function showDecimal(value: number, round: (x: number) => number): string {
  if (Object.is(value, -0)) return "-0.0";
  const wanted = round(value);
  for (let digits = 1; digits <= 17; digits++) {
    const text = wanted.toPrecision(digits);
    if (round(Number(text)) === wanted) return withPoint(String(Number(text)));
  }
  return withPoint(String(wanted));
}

/** MLIR wants a point in every number that is no integer. */
function withPoint(text: string): string {
  const [digits, exponent] = text.split("e") as [string, string | undefined];
  const pointed = digits.includes(".") ? digits : `${digits}.0`;
  return exponent === undefined ? pointed : `${pointed}e${exponent}`;
}
