// Compiled sorts and running totals equal interpreted ones.
import { describe, it } from "vitest";
import { lax, np, type Array } from "vibe-rl/array";
import { expectAllSame, expectSame, wholeNumbers, type Case } from "./compare.js";
import { awkwardFloats, dtypes } from "./samples.js";

/** A case for every dtype, shape and axis. */
const overAxes = (shapes: readonly (readonly number[])[], f: (x: Array, axis: number) => unknown): Case[] =>
  dtypes.flatMap((dtype) =>
    shapes.flatMap((shape) =>
      [...shape.keys()].map((axis) => ({
        name: `${dtype}[${shape.join()}] along ${axis}`,
        f: (x: Array) => f(x, axis),
        args: [wholeNumbers(shape, dtype)],
      })),
    ),
  );

describe("sorting", () => {
  // Short lanes, long ones, and such as are sorted by larger digits.
  const sizes = [
    [1],
    [2],
    [5],
    [17],
    [24],
    [25],
    [300],
    [4, 9],
    [9, 4],
    [3, 17, 2],
    [30, 3],
    [2, 1, 7],
    [0],
    [3, 0],
    [0, 3],
  ];
  it("along every axis of every dtype", () => {
    expectAllSame(overAxes(sizes, (x, axis) => [np.sort(x, axis), np.argsort(x, axis)]));
  });
  it("largest first", () => {
    const descending = { descending: true };
    expectAllSame(
      overAxes(sizes, (x, axis) => [np.sort(x, axis, descending), np.argsort(x, axis, descending)]),
    );
  });
  it("of thousands", () => {
    for (const dtype of ["float32", "int32", "uint8"] as const) {
      expectSame((x) => [np.sort(x.mul(101), 0), np.argsort(x, 0)], [wholeNumbers([4097, 2], dtype)]);
    }
  });
  it("equal elements keep their order, zeros of both signs are equal, NaN comes last", () => {
    const few = [0, -0, NaN, 1, -1, Infinity, -Infinity, 2 ** -149, -(2 ** -149), 1e30];
    for (const size of [5, 17, 24, 25, 100, 4100]) {
      const x = awkwardFloats([3, size], few);
      const orders = (a: Array) => [np.sort(a), np.argsort(a), np.argsort(a, -1, { descending: true })];
      expectSame(orders, [x], { signedZeros: true });
    }
  });
  it("several operands, by one key or more", () => {
    const operands = (["float32", "uint8", "int32", "bool"] as const).map((dtype, seed) =>
      wholeNumbers([4, 21], dtype, seed),
    );
    for (const numKeys of [1, 2, 3, 4]) {
      for (const dimension of [0, 1]) {
        expectSame((...all) => lax.sort(all, { dimension, numKeys }), operands);
        expectSame((...all) => lax.sort(all.reverse(), { dimension, numKeys }), operands);
        expectSame((...all) => lax.sort(all, { dimension, numKeys }).slice(-1), operands);
      }
    }
    expectSame(
      (x, y) => lax.sort([x, x, y, x.add(y)], { numKeys: 2 }),
      [wholeNumbers([40]), wholeNumbers([40], "float32", 2)],
    );
  });
  it("of views and of what is computed, used further", () => {
    const x = wholeNumbers([9, 17]);
    expectSame(
      (a) => [np.sort(a.T), np.sort(np.flip(a, 1).mul(2)).sum(1), np.sort(a.slice("::2"), 0).add(a.slice(0))],
      [x],
    );
    expectSame((a) => [lax.topK(a, 3), np.sort(a, null), np.argsort(np.argsort(a))], [x]);
    expectSame((a, v) => np.searchsorted(np.sort(a.reshape(-1)), v), [x, wholeNumbers([5], "float32", 9)]);
    expectSame((a) => [a, np.sort(a), a.sub(np.sort(a)), np.sort(np.sort(a, 0), 1)], [x]);
  });
});

describe("running totals", () => {
  const shapes = [[1], [5], [17], [4, 9], [9, 4], [3, 5, 2], [0], [3, 0]];
  const functions = { cumsum: np.cumsum, cumprod: np.cumprod, cummax: np.cummax, cummin: np.cummin };
  it.each(Object.entries(functions))("%s along every axis of every dtype, both ways", (_, f) => {
    expectAllSame(overAxes(shapes, (x, axis) => [f(x, axis), f(x, axis, { reverse: true })]));
    expectSame((x) => [f(x), f(x.mul(0.5), 0)], [wholeNumbers([4, 5])]);
  });
});
