// How many times shared memory is asked for the words that the lanes of a warp load with one instruction.
import { lanesOfWarp } from "../types.js";

const banks = 32;

/** Lanes that are served together: fewer the more each of them loads. */
const served = (width: number): number => lanesOfWarp / width;

/**
 * Wavefronts of one load by the lanes of a warp, from the elements at which each begins and how many (1 or 4) it takes.
 * A bank gives one word at a time, the same one to all lanes that ask for it.
 */
export function wavefronts(elements: readonly number[], width: number): number {
  let total = 0;
  for (let first = 0; first < elements.length; first += served(width)) {
    const asked = new Map<number, number>();
    let most = 0;
    for (const element of new Set(elements.slice(first, first + served(width)))) {
      const bank = Math.floor(element / width) % (banks / width);
      const count = (asked.get(bank) ?? 0) + 1;
      asked.set(bank, count);
      most = Math.max(most, count);
    }
    total += most;
  }
  return total;
}

/** Cache lines of global memory that one load by the lanes of a warp touches, counted as wavefronts are. */
export function cacheLines(elements: readonly number[], width: number): number {
  let total = 0;
  for (let first = 0; first < elements.length; first += served(width))
    total += new Set(
      elements.slice(first, first + served(width)).map((element) => Math.floor(element / banks)),
    ).size;
  return total;
}
