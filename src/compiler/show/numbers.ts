// Numbers as text, for listings.
import type { DType } from "../../array/index.js";

/** A number as WebAssembly text writes it. */
export function showDouble(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Object.is(value, -0) ? "-0" : String(value);
}

/** The shortest decimal that reads back as the same float32. */
export function showFloat(value: number): string {
  for (let digits = 1; digits <= 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Object.is(Math.fround(rounded), value)) return showDouble(rounded);
  }
  return showDouble(value);
}

/** A constant, so that its dtype can be told: 1.0, 1, true. */
export function showConstant(value: number, dtype: DType): string {
  if (dtype === "bool") return value === 0 ? "false" : "true";
  if (dtype !== "float32") return String(value);
  const text = showFloat(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** A count, with commas between thousands. */
export const showCount = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
