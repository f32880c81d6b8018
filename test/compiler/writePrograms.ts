// Programs that write at computed places, in every way that what is written can meet what is there.
import { np, random, vmap, type Array, type DType } from "vibe-rl/array";
import { wholeNumbers, type Case } from "./compare.js";

export const int32 = (...numbers: number[]): Array => np.array(Int32Array.from(numbers));

/** Positions along an axis, with some before its start and behind its end, and with repetitions. */
export const places = (shape: readonly number[], extent: number, seed = 1): Array =>
  random.randint(random.key(seed), shape, -extent - 3, extent + 3);

export const combinations = ["set", "add", "mul", "min", "max"] as const;
export type Combine = (typeof combinations)[number];
const update = (a: Array, combine: Combine, index: readonly Array[], values: Array | number): Array =>
  a.at(...index)[combine](values);

/** Updates at computed places. */
export const writes: Record<string, (combine: Combine, dtype: DType) => Case> = {
  "to a vector": (combine, dtype) => ({
    name: dtype,
    f: (a, i, u) => update(a, combine, [i], u),
    args: [wholeNumbers([12], dtype), places([9], 12), wholeNumbers([9], dtype, 2)],
  }),
  "many to few places": (combine, dtype) => ({
    name: dtype,
    f: (a, i, u) => update(a, combine, [i], u),
    args: [wholeNumbers([3], dtype), places([33], 3), wholeNumbers([33], dtype, 2)],
  }),
  "few to few places": (combine, dtype) => ({
    name: dtype,
    f: (a, i, u) => update(a, combine, [i], u),
    args: [wholeNumbers([6], dtype), int32(2, 2, -1), wholeNumbers([3], dtype, 2)],
  }),
  "many to one place": (combine, dtype) => ({
    name: dtype,
    f: (a, i, u) => [
      update(a, combine, [np.broadcastTo(i, [7])], u),
      update(a, combine, [np.full([7], 2, { dtype: "int32" })], u),
    ],
    args: [wholeNumbers([12], dtype), int32(5).reshape([]), wholeNumbers([7], dtype, 2)],
  }),
  "to rows": (combine, dtype) => ({
    name: dtype,
    f: (a, i, u) => update(a, combine, [i], u),
    args: [wholeNumbers([9, 5], dtype), places([12], 9), wholeNumbers([12, 5], dtype, 2)],
  }),
  "to columns": (combine, dtype) => ({
    name: dtype,
    f: (a, i, u) => a.at(":", i)[combine](u),
    args: [wholeNumbers([9, 5], dtype), places([7], 5), wholeNumbers([9, 7], dtype, 2)],
  }),
  "to single elements": (combine, dtype) => ({
    name: dtype,
    f: (a, i, j, u) => update(a, combine, [i, j], u),
    args: [wholeNumbers([9, 12], dtype), places([20], 9), places([20], 12, 2), wholeNumbers([20], dtype, 2)],
  }),
  "at two-dimensional indices": (combine, dtype) => ({
    name: dtype,
    f: (a, i, u) => update(a, combine, [i], u),
    args: [wholeNumbers([9, 2], dtype), places([3, 4], 9), wholeNumbers([3, 4, 2], dtype, 2)],
  }),
  "one number": (combine, dtype) => ({
    name: dtype,
    f: (a, i) => [
      update(a, combine, [i], dtype === "bool" ? a.slice(0) : 2),
      a.at(i.slice(0))[combine](a.slice(1)),
    ],
    args: [wholeNumbers([12], dtype), places([9], 12)],
  }),
  "of each example": (combine, dtype) => ({
    name: dtype,
    f: vmap((a: Array, i: Array, u: Array) => update(a, combine, [i], u)),
    args: [wholeNumbers([5, 12], dtype), places([5, 7], 12), wholeNumbers([5, 7], dtype, 2)],
  }),
  "of each short example": (combine, dtype) => ({
    name: dtype,
    f: vmap((a: Array, i: Array, u: Array) => update(a, combine, [i], u)),
    args: [wholeNumbers([17, 4], dtype), places([17], 4), wholeNumbers([17], dtype, 2)],
  }),
  "to every second place": (combine, dtype) => ({
    name: dtype,
    f: (a, u) => [
      a.at("::2")[combine](u),
      a.at("::-1", 1)[combine](u.slice(0, 0)),
      a.at("1:5:3", "::2")[combine](u.slice(":2", "::2")),
    ],
    args: [wholeNumbers([9, 5], dtype), wholeNumbers([5, 5], dtype, 2)],
  }),
  "to a known block": (combine, dtype) => ({
    name: dtype,
    f: (a, u) => [
      a.at("2:4", "1:4")[combine](u),
      a.at(3)[combine](u.slice(0, 0)),
      a.at(-1, -1)[combine](u.slice(1, 1)),
      a.at("5:2")[combine](u.slice(0, 0)),
    ],
    args: [wholeNumbers([9, 5], dtype), wholeNumbers([2, 3], dtype, 2)],
  }),
};
