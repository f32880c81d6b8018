// How lanes are sorted: short ones by insertion, others digit by digit.
import type { DType } from "../../array/index.js";

/** Lanes up to this length are sorted by insertion. */
export const shortLane = 24;

export const bitsOf = (dtype: DType): number => (dtype === "bool" || dtype === "uint8" ? 8 : 32);

/** Bits per pass: larger digits need fewer passes, but their tables must be worth their while. */
export const digitBits = (length: number): number => (length < 4096 ? 8 : 11);

/** Words of working memory: pairs twice, and a table per pass. */
export function sortScratch(length: number): number {
  const digit = digitBits(length);
  return 4 * length + Math.ceil(32 / digit) * 2 ** digit;
}
