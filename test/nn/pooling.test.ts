// Pooling: windows of images made one number each.
import { describe, expect, it } from "vitest";
import { grad, jit, np, vmap, type Array } from "vibe-rl/array";
import { avgPool, maxPool, minPool } from "vibe-rl/nn";

const image = np.array([
  [1, 2, 3],
  [4, 9, 6],
  [7, 8, 5],
]);
const pixels = image.reshape([1, 3, 3, 1]);
const rowsOf = (x: Array): unknown => x.reshape(x.shape.filter((extent) => extent > 1)).toArray();

describe("pooling", () => {
  it("takes the largest, the smallest and the mean of each window", () => {
    expect(rowsOf(maxPool(pixels, [2, 2]))).toEqual([
      [9, 9],
      [9, 9],
    ]);
    expect(rowsOf(minPool(pixels, [2, 2]))).toEqual([
      [1, 2],
      [4, 5],
    ]);
    expect(rowsOf(avgPool(pixels, [2, 2]))).toEqual([
      [4, 5],
      [7, 7],
    ]);
  });

  it("works on any number of leading and spatial axes", () => {
    const line = np.arange(6).astype("float32");
    expect(
      maxPool(line.reshape([6, 1]), [3], { strides: [3] })
        .ravel()
        .toArray(),
    ).toEqual([2, 5]);
    const stacked = np.stack([pixels, pixels.neg()]);
    expect(maxPool(stacked, [3, 3]).shape).toEqual([2, 1, 1, 1, 1]);
    expect(maxPool(np.ones([1, 4, 4, 4, 2]), [2, 2, 2], { strides: [2, 2, 2] }).shape).toEqual([
      1, 2, 2, 2, 2,
    ]);
    expect(vmap((x: Array) => maxPool(x, [2, 2]))(stacked).toArray()).toEqual(
      maxPool(stacked, [2, 2]).toArray(),
    );
  });

  it("counts padding as zeros, or not at all", () => {
    const same = { strides: [2, 2], padding: "SAME" } as const;
    expect(rowsOf(avgPool(pixels, [2, 2], same))).toEqual([
      [4, 2.25],
      [3.75, 1.25],
    ]);
    expect(rowsOf(avgPool(pixels, [2, 2], { ...same, countIncludePad: false }))).toEqual([
      [4, 4.5],
      [7.5, 5],
    ]);
    const before = [
      [1, 0],
      [1, 0],
    ] as const;
    expect(rowsOf(maxPool(pixels.neg(), [2, 2], { strides: [2, 2], padding: before }))).toEqual([
      [-1, -2],
      [-4, -5],
    ]);
  });

  it("sends the gradient of equal elements to the first of them, compiled too", () => {
    const slope = grad((x: Array) => maxPool(x, [2, 2], { strides: [2, 2] }).sum());
    const flat = np.zeros([4, 4, 1]);
    const expected = [
      [1, 0, 1, 0],
      [0, 0, 0, 0],
      [1, 0, 1, 0],
      [0, 0, 0, 0],
    ];
    expect(rowsOf(slope(flat))).toEqual(expected);
    expect(rowsOf(jit(slope)(flat))).toEqual(expected);
  });

  it("names what does not fit", () => {
    expect(() => maxPool(image, [2, 2])).toThrow(/maxPool: x must be \[\.\.\., 2 spatial axes, channels\]/);
    expect(() => maxPool(pixels, [0, 2])).toThrow(
      /maxPool: windowShape\[0\] must be a whole number of at least 1, got 0/,
    );
    expect(() => avgPool(pixels, [2, 2], { strides: [2] })).toThrow(/avgPool: strides must have 2 entries/);
    expect(() => maxPool(pixels, [2, 2], { stride: [2, 2] } as never)).toThrow(
      /maxPool: there is no option `stride`; did you mean `strides`\?/,
    );
    expect(() => maxPool(pixels, [5, 2])).toThrow(/along axis 1 they reach over 5 of 3 elements/);
    expect(() => maxPool(pixels, [2, 2], { padding: "FULL" as never })).toThrow(/padding must be "SAME"/);
  });
});
