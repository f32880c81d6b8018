// Threefry-2x32 with 20 rounds on four counters at once.
import type { Assembler } from "./assembler.js";

const rotations = [
  [13, 15, 26, 6],
  [17, 29, 16, 24],
];

/** Two locals with the words for keys and counters in the given locals; the caller releases them. */
export function threefry(
  asm: Assembler,
  [key0, key1, counter0, counter1]: readonly [number, number, number, number],
): [number, number] {
  const [x, y, key2] = [asm.local("v128"), asm.local("v128"), asm.local("v128")];
  asm.get(key0).get(key1).op("v128.xor").i32x4(0x1bd11bda).op("v128.xor").set(key2);
  const keys = [key0, key1, key2];
  asm.get(counter0).get(key0).op("i32x4.add").set(x);
  asm.get(counter1).get(key1).op("i32x4.add").set(y);
  for (let group = 0; group < 5; group++) {
    for (const rotation of rotations[group % 2]) {
      asm.get(x).get(y).op("i32x4.add").set(x);
      asm
        .get(y)
        .i32(rotation)
        .op("i32x4.shl")
        .get(y)
        .i32(32 - rotation)
        .op("i32x4.shr_u")
        .op("v128.or");
      asm.get(x).op("v128.xor").set(y);
    }
    asm
      .get(x)
      .get(keys[(group + 1) % 3])
      .op("i32x4.add")
      .set(x);
    asm
      .get(y)
      .get(keys[(group + 2) % 3])
      .op("i32x4.add")
      .i32x4(group + 1)
      .op("i32x4.add")
      .set(y);
  }
  asm.release("v128", key2);
  return [x, y];
}
