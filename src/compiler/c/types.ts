// C types of values: of one element, or of several at once.
import type { DType } from "../../array/index.js";

/** Elements that one value holds. */
export type Width = 1 | 4 | 8 | 16;

export const vectorWidths = [16, 8, 4] as const;

/** Bool is a mask of all ones or zeros; uint8 goes from 0 to 255 in 32 bits. */
const letters: Readonly<Record<DType, string>> = {
  float32: "f",
  float64: "d",
  int32: "i",
  bool: "i",
  uint32: "u",
  uint8: "u",
};

const scalars: Readonly<Record<string, string>> = { f: "float", d: "double", i: "int", u: "unsigned" };

export const letterOf = (dtype: DType): string => letters[dtype];

/** The type of a value. */
export const typeOf = (dtype: DType, width: Width): string =>
  width === 1 ? scalars[letters[dtype]] : `v${letters[dtype]}${width}`;

/** The type of an element in memory. */
export const memoryType = (dtype: DType): string =>
  dtype === "bool" || dtype === "uint8" ? "unsigned char" : typeOf(dtype, 1);

export const isByte = (dtype: DType): boolean => dtype === "bool" || dtype === "uint8";

/** A number as C has it. */
export function literal(value: number, dtype: DType): string {
  switch (dtype) {
    case "float32":
    case "float64":
      return floatLiteral(value, dtype === "float32" ? "f" : "");
    case "bool":
      return value === 0 ? "0" : "-1";
    case "int32":
      return value === -(2 ** 31) ? "(-2147483647 - 1)" : value < 0 ? `(${value | 0})` : String(value | 0);
    case "uint32":
    case "uint8":
      return `${value >>> 0}u`;
  }
}

function floatLiteral(value: number, suffix: string): string {
  if (Number.isNaN(value)) return suffix === "f" ? '__builtin_nanf("")' : '__builtin_nan("")';
  if (!Number.isFinite(value)) {
    const infinity = suffix === "f" ? "__builtin_inff()" : "__builtin_inf()";
    return value < 0 ? `(-${infinity})` : infinity;
  }
  const single = suffix === "f" ? Math.fround(value) : value;
  const text = Object.is(single, -0) ? "-0" : String(single);
  const decimal = /[.e]/.test(text) ? text : `${text}.0`;
  return text.startsWith("-") ? `(${decimal}${suffix})` : decimal + suffix;
}

/** A number in all lanes. */
export const splat = (text: string, dtype: DType, width: Width): string =>
  width === 1 ? text : `s${letterOf(dtype)}${width}(${text})`;
