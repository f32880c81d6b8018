// Rows of yes-or-no values as the bits of whole numbers: a line of cells moves, and is compared, in one operation.
import { np, type Array } from "../../../array/index.js";

/** How many of the lowest twelve bits are set. */
export function bitCount(bits: Array): Array {
  const pairs = bits.sub(np.rightShift(bits, 1).and(0x555));
  const fours = pairs.and(0x333).add(np.rightShift(pairs, 2).and(0x333));
  return fours.add(np.rightShift(fours, 4)).add(np.rightShift(fours, 8)).and(15);
}

/** The highest of the lowest sixteen bits that is set, alone; 0 for 0. */
export function highestBit(bits: Array): Array {
  const filled = [1, 2, 4, 8].reduce((below, by) => below.or(np.rightShift(below, by)), bits);
  return filled.xor(np.rightShift(filled, 1));
}

/** The lowest bit that is set, alone; 0 for 0. */
export const lowestBit = (bits: Array): Array => bits.and(bits.neg());
