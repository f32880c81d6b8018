// Programs of arrays that are large enough for all ways in which blocks exchange something, with shapes that many numbers of
// blocks divide.
import { grad, lax, np, random, type Array } from "vibe-rl/array";
import type { BatchedCase } from "../together.js";

/** Whole numbers, whose sums floats hold exactly. */
const whole = (key: number, shape: readonly number[]): Array =>
  random.randint(random.key(key), [...shape], -3, 4).astype("float32");

/** Loops in loops. */
const nested = (x: Array, w: Array) =>
  lax.scan(
    (y: Array, at: Array) =>
      lax.scan(
        (z: Array, to: Array) => {
          const next = z.add(to.mul(at)).matmul(w).clip(-3, 3).matmul(w.T);
          return [next.clip(-4, 4), z.sum(0)];
        },
        y,
        np.arange(3),
      ),
    x,
    np.arange(4),
  );

const functions: Readonly<Record<string, BatchedCase["f"]>> = {
  products: (x, w) => [x.matmul(w).clip(-9, 9).matmul(w.T), x.T.matmul(x), x.matmul(w).sum(0)],
  gradients: (x, w) => grad((v: Array) => np.square(np.maximum(x.matmul(v), 0)).sum())(w),
  reductions: (x) => [
    x.sum(0),
    x.sum(1),
    x.max(0),
    x.min(),
    x.argmax(0),
    x.sub(x.sum(1, { keepdims: true })).max(1),
  ],
  rows: (x, w) => [np.take(x, w.argmax(1), 0), np.concatenate([x, x.neg()], 1), x.slice("8:24", "::2"), x.T],
  sorts: (x) => {
    const flat = x.reshape([-1]);
    return [np.sort(flat), np.argsort(flat.mul(flat)), np.sort(x.T, 1), np.cumsum(x, 0)];
  },
  bytes: (x) => {
    const bits = x.greater(0);
    return [bits.any(0), bits.all(1), bits.astype("uint8").sum(0), np.where(bits, x, x.neg()).sum(1)];
  },
  loops: (x, w) =>
    lax.scan(
      ([y, v]: [Array, Array], at: Array) => {
        const next = y.matmul(v).clip(-2, 2);
        const [kept, changed] = lax.cond(
          next.sum().greater(at),
          (a: Array, b: Array) => [a.add(1), b],
          (a: Array, b: Array) => [np.flip(a, 0), b.add(a.sum(1).slice(":24")).clip(-3, 3)],
          next.matmul(v.T).clip(-3, 3),
          v,
        );
        return [[kept, changed] as [Array, Array], next.sum(1)];
      },
      [x, w] as [Array, Array],
      np.arange(3),
    ),
  nested: (x, w) => nested(x, w),
  whileNested: (x, w) =>
    lax.whileLoop(
      ([count]: [Array, Array]) => count.less(3),
      ([count, y]: [Array, Array]): [Array, Array] => {
        const [next, sums] = nested(y.add(count), w);
        return [count.add(1), next.add(sums.sum(0).sum(0).mean()).clip(-4, 4)];
      },
      [np.int32(0), x] as [Array, Array],
    ),
};

export const largePrograms = (): BatchedCase[] =>
  Object.entries(functions).map(([name, f], at) => ({
    name,
    f,
    args: [whole(at, [32, 40]), whole(100 + at, [40, 24])],
  }));
