// Spaces say what they hold, draw from it, and know what belongs to it.
import { describe, expect, it } from "vitest";
import { jit, np, random, vmap, type Array } from "vibe-rl/array";
import { Box, Discrete, Image, MultiBinary, type Space } from "vibe-rl/env";
import { errorOf } from "./rollout.js";

const spaces: readonly Space[] = [
  Box({ low: -1, high: 2, shape: [3] }),
  Box({ low: [-1, -Infinity, 0, -Infinity], high: [1, Infinity, Infinity, 5] }),
  Box({ low: -3, high: 4, shape: [2, 2], dtype: "int32" }),
  Box({ low: -2, high: 2, shape: [] }),
  Discrete(5),
  MultiBinary(4),
  Image({ height: 4, width: 3 }),
  Image({ height: 2, width: 2, channels: 1, dtype: "float32", low: -1, high: 1 }),
];

const keys = random.split(random.key(3), 200);
const has = (space: Space, x: Array | number | boolean): boolean => space.contains(x).item<boolean>();

describe("every space", () => {
  for (const space of spaces) {
    it(`${space.toString()} contains what it samples, compiled and in a batch`, () => {
      const draw = jit(
        vmap((key: Array) => {
          const x = space.sample(key);
          return { x, inside: space.contains(x) };
        }),
      );
      const { x, inside } = draw(keys);
      expect(x.dtype).toBe(space.dtype);
      expect(x.shape).toEqual([200, ...space.shape]);
      expect(inside.dtype).toBe("bool");
      expect(inside.all().item<boolean>()).toBe(true);
      const one = space.sample(keys.slice(0));
      expect(
        np
          .abs(one.astype("float32").sub(x.slice(0).astype("float32")))
          .max()
          .item(),
      ).toBeLessThan(1e-5);
    });
  }
});

describe("Box", () => {
  it("draws evenly between finite bounds, and around what bounds there are", () => {
    const { sample } = Box({ low: [0, -Infinity, 3, -Infinity], high: [10, Infinity, Infinity, -3] });
    const means = jit(() => vmap(sample)(random.split(random.key(0), 4000)).mean(0))().toArray() as number[];
    const expected = [5, 0, 4, -4];
    means.forEach((mean, at) => expect(Math.abs(mean - expected[at])).toBeLessThan(0.15));
  });

  it("refuses what is outside, of another shape or dtype, or NaN", () => {
    const box = Box({ low: [-1, 0], high: [1, 2] });
    expect(has(box, np.array([1, 2]))).toBe(true);
    expect(has(box, np.array([1.01, 2]))).toBe(false);
    expect(has(box, np.array([NaN, 0]))).toBe(false);
    expect(has(box, np.array([0, 0, 0]))).toBe(false);
    expect(has(box, np.int32([0, 0]))).toBe(false);
    expect(has(Box({ low: 0, high: 1, shape: [] }), 0.5)).toBe(true);
  });

  it("takes bounds that are traced, one pair an environment", () => {
    const inside = jit(vmap((high: Array) => Box({ low: 0, high, shape: [2] }).contains(np.array([1, 2]))));
    expect(inside(np.array([1, 2, 3])).toArray()).toEqual([false, true, true]);
  });

  it("says what is wrong with its options", () => {
    expect(errorOf(() => Box({ low: [0, 3], high: 2 }))).toContain(
      "low must not be above high, got 3 and 2 at element 1",
    );
    expect(errorOf(() => Box({ shape: [2, -1] }))).toContain("whole numbers of at least 1, got [2, -1]");
    expect(errorOf(() => Box({ dtype: "int32", shape: [2] }))).toContain("needs finite bounds");
    expect(errorOf(() => Box({ low: [0, 1], high: [1, 2], shape: [3] }))).toContain("does not broadcast");
  });
});

describe("the other spaces", () => {
  it("Discrete takes whole numbers below n", () => {
    const space = Discrete(3);
    expect([0, 2, 3, -1, 0.5].map((x) => has(space, x))).toEqual([true, true, false, false, false]);
    expect(has(space, np.float32(1))).toBe(false);
    expect(has(space, np.uint8(2))).toBe(true);
    expect(errorOf(() => Discrete(0))).toContain("n must be a whole number of at least 1, got 0");
  });

  it("Discrete draws every number", () => {
    const drawn = vmap(Discrete(4).sample)(keys).data();
    expect([...new Set(drawn)].sort()).toEqual([0, 1, 2, 3]);
  });

  it("MultiBinary and Image go by shape and dtype", () => {
    expect(has(MultiBinary(2), np.bool([true, false]))).toBe(true);
    expect(has(MultiBinary(2), np.float32([1, 0]))).toBe(false);
    expect(has(Image({ height: 2, width: 2 }), np.zeros([2, 2, 3], { dtype: "uint8" }))).toBe(true);
    expect(has(Image({ height: 2, width: 2 }), np.zeros([2, 2, 3]))).toBe(false);
    expect(errorOf(() => Image({ height: 2.5, width: 2 }))).toContain(
      "height must be a whole number of at least 1, got 2.5",
    );
  });
});
