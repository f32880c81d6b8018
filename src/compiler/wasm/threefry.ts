// Threefry-2x32 with 20 rounds, on several vectors of counters at once: every round waits for the one before, so
// that one vector alone would leave most of the processor idle.
import type { Assembler } from "./assembler.js";

const rotations = [
  [13, 15, 26, 6],
  [17, 29, 16, 24],
];

/** Locals with a key's two words and a counter's two words. */
export type Block = readonly [key0: number, key1: number, counter0: number, counter1: number];

/** Two locals with the random words of each block; the caller releases them. */
export function threefry(asm: Assembler, blocks: readonly Block[]): [number, number][] {
  const streams = blocks.map(([key0, key1, counter0, counter1]) => {
    const [x, y, key2] = [asm.local("v128"), asm.local("v128"), asm.local("v128")];
    asm.get(key0).get(key1).op("v128.xor").i32x4(0x1bd11bda).op("v128.xor").set(key2);
    asm.get(counter0).get(key0).op("i32x4.add").set(x);
    asm.get(counter1).get(key1).op("i32x4.add").set(y);
    return { x, y, keys: [key0, key1, key2] };
  });
  for (let group = 0; group < 5; group++) {
    for (const rotation of rotations[group % 2]) {
      for (const { x, y } of streams) {
        asm.get(x).get(y).op("i32x4.add").set(x);
        rotate(asm, y, rotation);
        asm.get(x).op("v128.xor").set(y);
      }
    }
    for (const { x, y, keys } of streams) {
      const [next, afterNext] = [keys[(group + 1) % 3], keys[(group + 2) % 3]];
      asm.get(x).get(next).op("i32x4.add").set(x);
      asm
        .get(y)
        .get(afterNext)
        .op("i32x4.add")
        .i32x4(group + 1);
      asm.op("i32x4.add").set(y);
    }
  }
  return streams.map(({ x, y, keys }) => {
    asm.release("v128", keys[2]);
    return [x, y];
  });
}

/** Pushes the words of a local rotated left. */
function rotate(asm: Assembler, local: number, by: number): void {
  asm.get(local).i32(by).op("i32x4.shl");
  asm.get(local).i32(32 - by);
  asm.op("i32x4.shr_u").op("v128.or");
}
