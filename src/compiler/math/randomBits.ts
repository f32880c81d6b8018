// Threefry-2x32 with 20 rounds (Salmon et al. 2011), the source of all random bits.
import type { Term } from "./formula.js";
import { add, or, shiftLeft, shiftRightLogical, xor } from "./terms.js";

const rotations = [
  [13, 15, 26, 6],
  [17, 29, 16, 24],
];

const rotateLeft = (x: Term, by: number): Term => or(shiftLeft(x, by), shiftRightLogical(x, 32 - by));

/** Two words of random bits from the words of a key and of a counter. */
export function threefry2x32(key0: Term, key1: Term, counter0: Term, counter1: Term): [Term, Term] {
  const keys = [key0, key1, xor(xor(key0, key1), 0x1bd11bda)];
  let [x, y] = [add(counter0, key0), add(counter1, key1)];
  for (let group = 0; group < 5; group++) {
    for (const rotation of rotations[group % 2]) {
      x = add(x, y);
      y = xor(rotateLeft(y, rotation), x);
    }
    x = add(x, keys[(group + 1) % 3]);
    y = add(add(y, keys[(group + 2) % 3]), group + 1);
  }
  return [x, y];
}
