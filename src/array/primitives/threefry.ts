// The Threefry-2x32 block cipher with 20 rounds (Salmon et al. 2011), the source of all random bits.
import type { Array } from "../core/array.js";
import type { Primitive } from "../core/primitive.js";
import { sizeOf } from "../core/shape.js";
import { bind } from "../core/trace.js";
import { arrayType } from "../core/type.js";
import { alignBatch, checkArity, checkDType, commonShape } from "./elementwise.js";

const rotations = [
  [13, 15, 26, 6],
  [17, 29, 16, 24],
] as const;

/** `threefry2x32(key0, key1, counter0, counter1)`: two words of random bits for each element. */
export const threefry2x32: Primitive = {
  name: "threefry2x32",
  infer(inputs) {
    checkArity("threefry2x32", inputs, 4);
    checkDType("threefry2x32", inputs, ["uint32"]);
    const type = arrayType(commonShape("threefry2x32", inputs), "uint32");
    return [type, type];
  },
  evaluate(inputs, _params, [output]) {
    const size = sizeOf(output.shape);
    const first = new Uint32Array(size);
    const second = new Uint32Array(size);
    const block = new Uint32Array(2);
    const steps = inputs.map((input) => (input.ndim === 0 ? 0 : 1));
    const words = inputs.map((input) => input.elements);
    for (let at = 0; at < size; at++) {
      const [k0, k1, c0, c1] = words.map((word, index) => word[at * (steps[index] as number)]);
      encrypt(k0, k1, c0, c1, block);
      first[at] = block[0];
      second[at] = block[1];
    }
    return [first, second];
  },
  jvp: (inputs) => ({ outputs: bind(threefry2x32, inputs, {}), tangents: [null, null] }),
  batch: (inputs, batched, _params, size) => ({
    outputs: bind(threefry2x32, alignBatch(inputs, batched, size), {}),
    batched: [true, true],
  }),
};

function encrypt(k0: number, k1: number, c0: number, c1: number, out: Uint32Array): void {
  const keys = [k0, k1, (k0 ^ k1 ^ 0x1bd11bda) >>> 0];
  let x = (c0 + k0) | 0;
  let y = (c1 + k1) | 0;
  for (let group = 0; group < 5; group++) {
    for (const rotation of rotations[group % 2] as readonly number[]) {
      x = (x + y) | 0;
      y = (y << rotation) | (y >>> (32 - rotation));
      y ^= x;
    }
    x = (x + keys[(group + 1) % 3]) | 0;
    y = (y + keys[(group + 2) % 3] + group + 1) | 0;
  }
  out[0] = x;
  out[1] = y;
}

/** The two words as arrays. */
export const threefryWords = (inputs: readonly Array[]): [Array, Array] => {
  const [first, second] = bind(threefry2x32, inputs, {});
  return [first, second];
};
