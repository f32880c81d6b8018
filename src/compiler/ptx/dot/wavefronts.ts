// How many times shared memory is asked for the words that the lanes of a warp load with one instruction.
import { lanesOfWarp } from "../types.js";

const banks = 32;

/** Lanes that are served together: fewer the more each of them loads. */
const served = (width: number): number => lanesOfWarp / width;

/** Whether all lanes want the same as their neighbours, or as those next to them: twice as many are served then (measured). */
const isPaired = (elements: readonly number[]): boolean =>
  [1, 2].some((distance) => elements.every((element, lane) => element === elements[lane ^ distance]));

/**
 * Wavefronts of one load by the lanes of a warp, from the elements at which each begins and how many (1 or 4) it takes.
 * A bank gives one word at a time, the same one to all lanes that ask for it.
 */
export function wavefronts(elements: readonly number[], width: number): number {
  let total = 0;
  const together = width > 1 && isPaired(elements) ? 2 * served(width) : served(width);
  for (let first = 0; first < elements.length; first += together) {
    const asked = new Map<number, number>();
    let most = 0;
    for (const element of new Set(elements.slice(first, first + together))) {
      const bank = Math.floor(element / width) % (banks / width);
      const count = (asked.get(bank) ?? 0) + 1;
      asked.set(bank, count);
      most = Math.max(most, count);
    }
    total += most;
  }
  return total;
}

/** Wavefronts of loads of vectors, at the least. */
export const leastOfVectors = 2;

/** Cache lines of global memory that one load by the lanes of a warp touches, counted as wavefronts are. */
export function cacheLines(elements: readonly number[], width: number): number {
  let total = 0;
  for (let first = 0; first < elements.length; first += served(width))
    total += new Set(
      elements.slice(first, first + served(width)).map((element) => Math.floor(element / banks)),
    ).size;
  return total;
}

/** Elements of a sector: memory behind the nearest cache takes and gives whole ones. */
const sectorLength = 8;

/** Sectors that so many elements fill if they lie side by side. */
export const sectorsOf = (elements: number): number => Math.ceil(elements / sectorLength);

/** Sectors of global memory that one access by the lanes of a warp touches. */
export const sectors = (elements: readonly number[], width: number): number =>
  new Set(
    elements.flatMap((element) =>
      [element, element + width - 1].map((one) => Math.floor(one / sectorLength)),
    ),
  ).size;
