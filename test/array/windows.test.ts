// Facts about windows and gamma numbers that hold for any arguments.
import { describe, expect, it } from "vitest";
import { grad, jit, lax, np, random, vjp, type Array } from "vibe-rl/array";
import { expectClose } from "../closeness.js";

describe("windows", () => {
  const x = np.array([2, 3, 5, 7, 11]);
  const same = { windowStrides: [2], padding: "SAME" } as const;

  it("start each from the initial value once, and leave padding out", () => {
    const expected = [18, 315, 231];
    const products = (v: Array): Array => lax.reduceWindow(v, 3, np.multiply, [3], same);
    expect(products(x).toArray()).toEqual(expected);
    expect(jit(products)(x).toArray()).toEqual(expected);
    expect(lax.reduceWindow(x, 3, np.add, [3], same).toArray()).toEqual([8, 18, 21]);
  });

  it("combined by any associative function have a gradient", () => {
    // Each product is linear in each of its factors.
    const slope = grad((v: Array) => lax.reduceWindow(v, 1, np.multiply, [3], same).sum())(x);
    expect(slope.toArray()).toEqual([3, 37, 21, 26, 7]);
  });

  it("of a transposed convolution are those of the convolution's gradient", () => {
    const [image, kernel] = [
      random.normal(random.key(0), [1, 6, 6, 2]),
      random.normal(random.key(1), [3, 3, 2, 4]),
    ];
    const [small, pullBack] = vjp((v: Array) => lax.convGeneralDilated(v, kernel, [2, 2], "VALID"), image);
    const [back] = pullBack(small);
    const widths = [
      [2, 3],
      [2, 3],
    ] as const;
    const turned = lax.convTranspose(small, kernel, [2, 2], widths, { transposeKernel: true });
    expectClose(turned, back, { rtol: 1e-5, atol: 1e-5 });
  });
});

describe("gamma numbers", () => {
  const draw = jit((a: Array) => random.gamma(random.key(5), a, [4000]));

  it("have the mean and the variance of their parameter", () => {
    for (const a of [0.2, 1, 7]) {
      const samples = draw(np.float32(a));
      expect(Math.abs(samples.mean().item() - a)).toBeLessThan(4 * Math.sqrt(a / 4000));
      // The variance of a variance of n samples is about (2 + 6 / a) a² / n.
      expect(Math.abs(samples.var().item() - a)).toBeLessThan(4 * a * Math.sqrt((2 + 6 / a) / 4000));
    }
  });

  it("move with their parameter as their mean does", () => {
    const slope = jit(grad((a: Array) => random.gamma(random.key(5), a, [4000]).mean()));
    expect(Math.abs(slope(np.float32(2)).item() - 1)).toBeLessThan(0.05);
  });
});
