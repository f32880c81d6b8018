// The NumPy surface: moving, joining and splitting, reductions and sorting.
import { describe, expect, it } from "vitest";
import { lax, np, type Array } from "vibe-rl/array";

const list = (x: Array) => x.toArray();

describe("shaping", () => {
  const x = np.arange(6).reshape([2, 3]);
  it("moves axes and elements", () => {
    expect(np.moveaxis(np.zeros([2, 3, 4]), 0, -1).shape).toEqual([3, 4, 2]);
    expect(np.moveaxis(np.zeros([2, 3, 4, 5]), [0, 3], [2, 0]).shape).toEqual([5, 3, 2, 4]);
    expect(np.swapaxes(np.zeros([2, 3, 4]), 0, 2).shape).toEqual([4, 3, 2]);
    expect(np.expandDims(x, [0, -1]).shape).toEqual([1, 2, 3, 1]);
    expect(np.squeeze(np.zeros([1, 2, 1])).shape).toEqual([2]);
    expect(list(x.T)).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
    expect(list(np.flip(x))).toEqual([
      [5, 4, 3],
      [2, 1, 0],
    ]);
    expect(list(np.roll(x, 1))).toEqual([
      [5, 0, 1],
      [2, 3, 4],
    ]);
    expect(list(np.roll(x, -1, 1))).toEqual([
      [1, 2, 0],
      [4, 5, 3],
    ]);
    expect(list(np.repeat(np.arange(2), 2))).toEqual([0, 0, 1, 1]);
    expect(list(np.repeat(x, 2, 1))).toEqual([
      [0, 0, 1, 1, 2, 2],
      [3, 3, 4, 4, 5, 5],
    ]);
    expect(list(np.tile(np.arange(2), [2, 2]))).toEqual([
      [0, 1, 0, 1],
      [0, 1, 0, 1],
    ]);
  });

  it("pads in every mode", () => {
    const row = np.array([1, 2, 3]);
    expect(list(np.pad(row, 1))).toEqual([0, 1, 2, 3, 0]);
    expect(list(np.pad(row, [1, 2], { mode: "edge" }))).toEqual([1, 1, 2, 3, 3, 3]);
    expect(list(np.pad(row, [2, 2], { mode: "reflect" }))).toEqual([3, 2, 1, 2, 3, 2, 1]);
    expect(list(np.pad(row, [2, 1], { mode: "wrap" }))).toEqual([2, 3, 1, 2, 3, 1]);
  });

  it("joins and splits", () => {
    expect(list(np.concatenate([x, x], 1))).toEqual([
      [0, 1, 2, 0, 1, 2],
      [3, 4, 5, 3, 4, 5],
    ]);
    expect(np.stack([x, x], -1).shape).toEqual([2, 3, 2]);
    expect(np.split(np.arange(6), 3).map(list)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    expect(np.split(np.arange(3), [2, 9]).map(list)).toEqual([[0, 1], [2], []]);
    expect(np.split(np.arange(6), [1, 4]).map(list)).toEqual([[0], [1, 2, 3], [4, 5]]);
    expect(list(np.vstack([np.arange(2), np.arange(2)]))).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(list(np.hstack([np.arange(2), np.arange(2)]))).toEqual([0, 1, 0, 1]);
  });
});

describe("reductions", () => {
  it("keep dimensions on request and count booleans", () => {
    const x = np.arange(6).reshape([2, 3]);
    expect(x.sum(1, { keepdims: true }).shape).toEqual([2, 1]);
    expect(list(x.greater(1).sum())).toBe(4);
    expect(x.greater(1).sum().dtype).toBe("int32");
    expect(x.mean().item()).toBe(2.5);
    expect(list(x.var(0, { ddof: 1 }))).toEqual([4.5, 4.5, 4.5]);
    expect(list(np.argmax(x, 1, { keepdims: true }))).toEqual([[2], [2]]);
    expect(list(np.argmin(x))).toBe(0);
    expect(list(np.countNonzero(x))).toBe(5);
    expect(np.uint8([200, 100]).sum().item()).toBe(300);
    expect(np.linalg.norm(np.uint8([200])).item()).toBe(200);
    expect(list(np.isclose(np.uint32([2]), np.uint32([4294967295])))).toEqual([false]);
    expect(list(np.tril(np.full([2, 2], -Infinity)))).toEqual([
      [-Infinity, 0],
      [-Infinity, -Infinity],
    ]);
    expect(list(np.arrayEqual(x, x))).toBe(true);
    expect(list(np.prod(np.zeros([0])))).toBe(1);
    expect(list(np.sum(np.zeros([0, 2]), 0))).toEqual([0, 0]);
  });

  it("run along an axis, both ways", () => {
    const x = np.array([
      [1, 2],
      [3, 4],
    ]);
    expect(list(np.cumsum(x))).toEqual([1, 3, 6, 10]);
    expect(list(np.cumsum(x, 1))).toEqual([
      [1, 3],
      [3, 7],
    ]);
    expect(list(np.cumsum(x, 0, { reverse: true }))).toEqual([
      [4, 6],
      [3, 4],
    ]);
    expect(list(np.cumprod(x, 1))).toEqual([
      [1, 2],
      [3, 12],
    ]);
    expect(list(np.cummax(np.array([1, 3, 2])))).toEqual([1, 3, 3]);
    expect(list(np.cummin(np.int32([2, 3, 1])))).toEqual([2, 2, 1]);
  });

  it("sort stably, either way", () => {
    const x = np.array([3, 1, 3, 2]);
    expect(list(np.argsort(x))).toEqual([1, 3, 0, 2]);
    expect(list(np.argsort(x, -1, { descending: true }))).toEqual([0, 2, 3, 1]);
    expect(list(np.sort(x, null, { descending: true }))).toEqual([3, 3, 2, 1]);
    const [keys, values] = lax.sort([np.int32([2, 1, 2, 1]), np.int32([0, 1, 2, 3])]);
    expect([list(keys), list(values)]).toEqual([
      [1, 1, 2, 2],
      [1, 3, 0, 2],
    ]);
    const [first, second] = lax.sort([np.int32([2, 1, 2]), np.int32([3, 5, 1])], { numKeys: 2 });
    expect([list(first), list(second)]).toEqual([
      [1, 2, 2],
      [5, 1, 3],
    ]);
    expect(lax.topK(x, 2).map(list)).toEqual([
      [3, 3],
      [0, 2],
    ]);
  });
});
