// Compiled sums of many terms lose no more than the interpreter's, which adds in double precision.
import { describe, expect, it } from "vitest";
import { jit, lax, np, random, type Array } from "vibe-rl/array";
import { expectSame, isOnXla, wholeNumbers, type Computation } from "./compare.js";

const precise = { rtol: 1e-6 };

/** Equal terms are the worst case: the errors of all additions go one way. */
function expectPrecise(f: Computation, ...args: Array[]): void {
  expectSame(f, args, precise);
}

/** Products on XLA are those of NVIDIA's libraries, which add one number after the other. */
function expectPreciseProduct(f: Computation, ...args: Array[]): void {
  expectSame(f, args, isOnXla ? { rtol: 2e-5 } : precise);
}

describe("a sum of many equal terms is within 1e-6", () => {
  it.each([4096 * 16 + 1, 123_457, 1_000_000])("of %i", (size) => {
    expectPrecise((x) => [x.sum(), x.mean()], np.full([size], 0.1));
    expectPrecise((x) => [x.sum(), x.mul(2).mean()], np.full([size], 1000.1));
  });
  it("over columns", () => {
    expectPrecise((x) => x.sum(0), np.full([100_000, 5], 0.1));
  });
  it("over rows", () => {
    expectPrecise((x) => x.sum(1), np.full([3, 200_003], 0.1));
  });
  it("over several axes that do not follow each other in memory", () => {
    expectPrecise((x) => x.sum([0, 2]), np.full([300, 3, 500], 0.1));
    expectPrecise((x) => x.T.sum([0, 1]), np.full([7, 1100, 30], 0.1));
  });
  it("in the variance of numbers far from zero", () => {
    const x = jit(() => random.normal(random.key(0), [300_000]).add(1000))();
    const variance = jit((values: Array) => values.var())(x).item();
    expect(variance).toBeCloseTo(x.var().item(), 5);
  });
});

describe("a product of great depth is within 1e-6", () => {
  it.each([
    [4, 4],
    [9, 17],
    [5, 1],
    [1, 5],
  ])("of %i rows and %i columns", (rows, columns) => {
    const depth = 100_001;
    expectPreciseProduct((a, b) => a.matmul(b), np.full([rows, depth], 0.1), np.ones([depth, columns]));
    expectPreciseProduct((a, b) => a.T.matmul(b.T), np.full([depth, rows], 0.1), np.ones([columns, depth]));
  });
  it("over several axes", () => {
    expectPreciseProduct(
      (a, b) =>
        lax.dotGeneral(a, b, {
          contract: [
            [0, 2],
            [2, 1],
          ],
        }),
      np.full([300, 3, 150], 0.1),
      np.ones([4, 150, 300]),
    );
  });
});

describe("sums in blocks are right to the last bit where floats hold them", () => {
  it.each([255, 257, 513, 640, 1025, 4097, 33_000])("over %i terms", (count) => {
    expectSame((x) => [x.sum(), x.max()], [wholeNumbers([count])]);
    expectSame((x) => x.sum(0), [wholeNumbers([count, 6])]);
    expectSame((x) => x.sum(1), [wholeNumbers([2, count])]);
    expectSame((a, b) => a.matmul(b), [wholeNumbers([5, count]), wholeNumbers([count, 9])]);
    expectSame((a, b) => a.matmul(b), [wholeNumbers([5, count]), wholeNumbers([count, 2])]);
    expectSame((a, b) => a.T.matmul(b.T), [wholeNumbers([count, 6]), wholeNumbers([7, count])]);
  });
});

it("infinities and NaN pass through blocks", () => {
  const terms = np.full([70_000], 0.5);
  const withAt = (...values: (readonly [number, number])[]) =>
    values.reduce((x, [at, value]) => x.at(at).set(value), terms);
  const sum = jit((x: Array) => x.sum());
  expect(sum(withAt([0, Infinity])).item()).toBe(Infinity);
  expect(sum(withAt([40_000, -Infinity], [69_999, -Infinity])).item()).toBe(-Infinity);
  expect(sum(withAt([10, Infinity], [60_000, -Infinity])).item()).toBeNaN();
  expect(sum(withAt([60_000, NaN])).item()).toBeNaN();
  expect(sum(np.full([70_000], 3e38)).item()).toBe(Infinity);
  const product = jit((x: Array) => x.reshape([1, -1]).matmul(np.ones([70_000, 4])));
  expect(product(withAt([5, Infinity])).toArray()).toEqual([[Infinity, Infinity, Infinity, Infinity]]);
});
