// Programs that reduce arrays of many shapes over all their axes.
import { nn, np, type Array, type DType } from "vibe-rl/array";
import { wholeNumbers, type Case } from "./compare.js";

export type Reduction = (x: Array, axis: readonly number[]) => Array;
export const reductions: Record<string, Reduction> = {
  sum: (x, axis) => x.sum(axis),
  prod: (x, axis) => x.prod(axis),
  max: (x, axis) => x.max(axis),
  min: (x, axis) => x.min(axis),
  any: (x, axis) => np.any(x.greater(3), axis),
  all: (x, axis) => np.all(x.notEqual(0), axis),
  mean: (x, axis) => x.mean(axis),
  var: (x, axis) => x.var(axis),
  "sum with axes kept": (x, axis) => x.sum(axis, { keepdims: true }),
};

export const indexReductions: Record<string, (x: Array, axis: number | null) => Array> = {
  argmax: (x, axis) => np.argmax(x, axis),
  argmin: (x, axis) => np.argmin(x, axis),
  "largest and where": (x, axis) => np.argmax(x, axis).add(x.max(axis ?? undefined).astype("int32")),
};

/** All choices of axes, from none to all. */
export const subsets = (count: number): number[][] =>
  globalThis.Array.from({ length: 2 ** count }, (_, bits) =>
    globalThis.Array.from({ length: count }, (_axis, axis) => axis).filter(
      (axis) => (bits & (1 << axis)) !== 0,
    ),
  );

const shapes = [
  [1],
  [3],
  [5],
  [8],
  [17],
  [33],
  [100],
  [5, 3],
  [1, 7],
  [9, 100],
  [17, 9],
  [5, 7, 3],
  [9, 2, 17],
  [3, 1, 9],
];
export const near = { rtol: 5e-6 };

/** Programs that reduce arrays of all shapes over all axes: of float32 one for each choice of axes, else all in one. */
export function cases<Axes>(
  dtype: DType,
  f: (x: Array, axes: Axes) => Array,
  choices: (shape: readonly number[]) => readonly Axes[],
): Case[] {
  return shapes.flatMap((shape): Case[] => {
    const args = [wholeNumbers(shape, dtype)];
    const all = choices(shape);
    if (dtype !== "float32")
      return [{ name: `[${shape.join()}]`, f: (x: Array) => all.map((axes) => f(x, axes)), args }];
    return all.map((axes) => ({
      name: `[${shape.join()}] over ${JSON.stringify(axes)}`,
      f: (x: Array) => f(x, axes),
      args,
    }));
  });
}

/** Those that work on what other dtypes become. */
export const derived = ["any", "all", "mean", "var", "sum with axes kept"];

/** Numbers among which it is not obvious which is the largest. */
export const orderTables: Record<string, readonly number[]> = {
  "some NaN": [1, 2, 3, NaN, 5, -Infinity, Infinity, -2, 0],
  "all NaN": [NaN],
  "all equal": [7],
  "all the least": [-Infinity],
  "both zeros": [0, -0],
  "few numbers": [-1, 0, 1],
};

export const mixedShapes = [
  [9, 17],
  [5, 100],
  [33, 4],
  [70, 3],
  [2, 131],
  [1, 64],
  [64, 1],
];
/** Reductions together with other work. */
export const reductionPrograms: Record<string, (a: Array) => unknown> = {
  "of views": (a) => [
    a.T.sum(0),
    a.slice("::2", "::3").sum(1),
    np.flip(a, 1).slice(":", ":5").prod(1),
    np.broadcastTo(a.slice(0), [5, a.shape[1]]).sum(0),
    np.broadcastTo(a.slice(":", ":1"), [a.shape[0], 12]).max(1),
    a.reshape([a.shape[1], a.shape[0]]).sum(1),
    np.argmax(np.flip(a), 0),
  ],
  "of what is computed on the way": (a) => [
    np.abs(a).add(1).sum(1),
    a.mul(a).sum(),
    a.T.mul(2).max(1),
    a.less(0).sum(0),
    np.argmin(a.mul(a).sub(a), 1),
  ],
  "used by every element": (a) => [
    a.sub(a.max(1, { keepdims: true })),
    a.div(a.mul(a).sum().add(1)),
    a.sub(a.min(0)),
    np.where(a.equal(a.max()), a.sum(), a.argmax(1, { keepdims: true })),
  ],
  "over different axes of one array": (a) => [
    a.sum(0),
    a.sum(1),
    a.sum(),
    a.max(0),
    a.max(1),
    a.argmax(0),
    a.argmax(1),
  ],
  "of each other": (a) => a.sum(0).sub(a.sum(0).max()).mul(a.max(1).sum()).sum(),
  "of rows that are kept": (a) => {
    const b = np.tanh(a.mul(0.1)).add(a.slice(0));
    return [b, b.sum(1), b.max(1), b.sum(0), b.sub(b.mean(1, { keepdims: true }))];
  },
  softmax: (a) => [nn.softmax(a), nn.logSoftmax(a, 0), nn.logsumexp(a), nn.standardize(a)],
  "of short rows": (a) => [
    a.slice(":", ":3").sum(1),
    a.slice(":", ":8").max(1),
    a.slice(":", ":8").argmin(1),
    a.slice(":3").sum(0),
  ],
  "of uint8 images": (a) => [a, a, a].map((x, axis) => x.astype("uint8").mean(axis === 2 ? null : axis)),
  "of one element": (a) => [a.slice(":1", ":1").sum(), a.slice(0, 0).sum(), a.slice(":1", ":1").argmax()],
};
