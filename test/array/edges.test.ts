// At zeros, infinities, NaN, ties and empty axes, functions and their derivatives are what JAX has.
import { describe, expect, it } from "vitest";
import { checkGrads, grad, jit, lax, nn, np, random, vmap, type Array } from "vibe-rl/array";
import { expectClose } from "../closeness.js";

const slope = (f: (x: Array) => Array, at: number): number => grad(f)(np.float32(at)).item();
const values = (x: Array) => x.toArray();

describe("derivatives at the edges", () => {
  it("of sinh and cosh neither overflow early nor cancel", () => {
    expect(slope(np.sinh, 89) / Math.cosh(89)).toBeCloseTo(1, 5);
    expect(slope(np.sinh, 90)).toBe(Infinity);
    expect(slope(np.cosh, 1e-5)).toBeCloseTo(1e-5, 11);
    expect(slope(np.cosh, -1e-5)).toBeCloseTo(-1e-5, 11);
    checkGrads(np.sinh, [np.float64([-2, -0.5, 0, 0.3, 3])], 2);
    checkGrads(np.cosh, [np.float64([-2, -0.5, 0, 0.3, 3])], 2);
  });

  it("of arcsin and arccos are infinite at the ends", () => {
    expect([1, -1].map((x) => slope(np.arcsin, x))).toEqual([Infinity, Infinity]);
    expect([1, -1].map((x) => slope(np.arccos, x))).toEqual([-Infinity, -Infinity]);
    expect(slope(np.arcsin, 2)).toBeNaN();
    checkGrads(np.arcsin, [np.float64([-0.9, -0.5, 0, 0.4, 0.7])], 2);
    checkGrads(np.arccos, [np.float64([-0.9, -0.5, 0, 0.4, 0.7])], 2);
  });

  it("of abs at 0 is 1, of relu6 at 0 and 6 is 0", () => {
    expect([0, -0, -1].map((x) => slope(np.abs, x))).toEqual([1, 1, -1]);
    expect([0, 3, 6, 7].map((x) => slope(nn.relu6, x))).toEqual([0, 1, 0, 0]);
    expect(nn.relu6(np.array([NaN, -1, 9])).toArray()).toEqual([NaN, 0, 6]);
  });

  it("of negative powers are infinite at 0 and vanish at infinity", () => {
    for (const n of [-1, -2, -3]) {
      const sign = n % 2 === 0 ? 1 : -1;
      expect(slope((x) => x.pow(n), 0)).toBe(-Infinity);
      expect(Math.abs(slope((x) => x.pow(n), Infinity))).toBe(0);
      expect(slope((x) => x.pow(n), 2)).toBeCloseTo(n * 2 ** (n - 1), 7);
      expect(np.power(-10, n).item()).toBe(Math.fround(sign * 10 ** n));
    }
  });

  it("of lax.clamp go to what it returns, and nowhere at the bounds", () => {
    const clamp = vmap(
      grad((low: Array, x: Array, high: Array) => lax.clamp(low, x, high), { argnums: [0, 1, 2] }),
    );
    const [low, x, high] = [0, [-1, 0, 0.5, 1, 2], 1].map((v) => np.broadcastTo(np.array(v), [5]));
    expect(clamp(low, x, high).map(values)).toEqual([
      [1, 0, 0, 0, 0],
      [0, 0, 1, 0, 0],
      [0, 0, 0, 0, 1],
    ]);
  });
});

describe("values at the edges", () => {
  it("lax.clamp keeps NaN", () => {
    expect(values(lax.clamp(0, np.array([NaN, 5, -1, 0.5]), 1))).toEqual([NaN, 1, 0, 0.5]);
  });

  it("division by zero gives infinities, and what XLA has for integers", () => {
    expect(values(np.floorDivide(np.array([1, -1, 0]), 0))).toEqual([Infinity, -Infinity, NaN]);
    expect(values(np.floorDivide(np.array([7, -7, 7]), np.array([2, 2, -2])))).toEqual([3, -4, -4]);
    expect(values(np.mod(np.int32([5, -5, 0]), 0))).toEqual([0, 0, 0]);
    expect(values(np.mod(np.int32([5, -5]), np.int32([0, 3])))).toEqual([0, 1]);
    expect(values(np.floorDivide(np.int32([5, -5, 0]), np.int32(0)))).toEqual([-2, -2, -1]);
    expect(values(np.floorDivide(np.uint32([5, 0]), np.uint32(0)))).toEqual([4294967295, 4294967295]);
  });

  it("hypot of infinity is infinite whatever the other side is", () => {
    expect(values(np.hypot(np.array([Infinity, NaN, NaN]), np.array([NaN, -Infinity, 1])))).toEqual([
      Infinity,
      Infinity,
      NaN,
    ]);
  });

  it("the exact gelu keeps its digits far to the left", () => {
    expect(nn.gelu(-10, { approximate: false }).item() / -7.619853e-23).toBeCloseTo(1, 4);
    expect(slope((x) => nn.gelu(x, { approximate: false }), -6) / -3.5468709e-8).toBeCloseTo(1, 4);
    checkGrads((x: Array) => nn.gelu(x, { approximate: false }), [np.float64([-4, -1.5, -1, 0, 2])], 2);
  });

  it("softmax of nothing is nothing, logsumexp of nothing is -Infinity", () => {
    expect(nn.softmax(np.zeros([2, 0])).shape).toEqual([2, 0]);
    expect(nn.logSoftmax(np.zeros([2, 0])).shape).toEqual([2, 0]);
    expect(values(nn.logsumexp(np.zeros([2, 0]), -1))).toEqual([-Infinity, -Infinity]);
    expect(values(nn.softmax(np.array([Infinity, 0])))).toEqual([NaN, NaN]);
  });

  it("the variance is NaN where ddof leaves no count", () => {
    expect([0, 1, 2, 3].map((ddof) => np.var(np.array([1, 3]), null, { ddof }).item())).toEqual([
      1,
      2,
      NaN,
      NaN,
    ]);
  });

  it("rounding integers to tens is refused", () => {
    expect(() => np.round(np.int32([15]), -1)).toThrow(/round: cannot round int32\[1\] to tens/);
    expect(values(np.round(np.array([15, 25]), -1))).toEqual([20, 20]);
  });
});

describe("positions at the edges", () => {
  const x = np.array([1, 2, 3]);
  const outside = np.int32([-5, -1, 3]);

  it("take reads the nearest element, or what the mode says", () => {
    expect(values(np.take(x, outside))).toEqual([1, 3, 3]);
    expect(values(np.take(x, [-5, -1, 3]))).toEqual([1, 3, 3]);
    expect(values(np.take(x, outside))).toEqual(values(x.slice(outside)));
    const take = (mode: "clip" | "wrap" | "fill", of = x) => values(np.take(of, outside, null, { mode }));
    expect(take("clip")).toEqual([1, 1, 3]);
    expect(take("wrap")).toEqual([2, 3, 1]);
    expect(take("fill")).toEqual([NaN, 3, NaN]);
    expect(take("fill", np.int32([1, 2, 3]))).toEqual([-2147483648, 3, -2147483648]);
    expect(take("fill", np.uint8([1, 2, 3]))).toEqual([255, 3, 255]);
    expect(take("fill", np.bool([true, false, false]))).toEqual([true, false, true]);
  });

  it("searchsorted puts NaN last", () => {
    const wanted = np.array([NaN, Infinity, 2]);
    expect(values(np.searchsorted(x, wanted))).toEqual([3, 3, 1]);
    expect(values(np.searchsorted(x, wanted, { side: "right" }))).toEqual([3, 3, 2]);
    const withNaN = np.array([1, NaN, NaN]);
    expect(values(np.searchsorted(withNaN, wanted))).toEqual([1, 1, 1]);
    expect(values(np.searchsorted(withNaN, wanted, { side: "right" }))).toEqual([3, 1, 1]);
    expect(values(np.searchsorted(np.zeros([0]), wanted))).toEqual([0, 0, 0]);
  });

  it("scalars stack and add up as vectors of one", () => {
    expect(values(np.hstack([1, 2]))).toEqual([1, 2]);
    expect(values(np.hstack([1, np.array([2, 3])]))).toEqual([1, 2, 3]);
    expect(values(np.cumsum(5, 0))).toEqual([5]);
    expect(values(np.cumprod(np.float32(5), -1))).toEqual([5]);
    expect(() => np.cumsum(5, 1)).toThrow(/axis 1 is out of range/);
  });

  it("clip takes undefined for no limit", () => {
    expect(values(np.clip(x, undefined, 2))).toEqual([1, 2, 2]);
    expect(values(x.clip(2, undefined))).toEqual([2, 2, 3]);
  });

  it("lax's running totals go along the first axis, np's flatten", () => {
    const m = np.array([
      [1, 2],
      [3, 4],
    ]);
    expect(values(lax.cumsum(m))).toEqual([
      [1, 2],
      [4, 6],
    ]);
    expect(values(np.cumsum(m))).toEqual([1, 3, 6, 10]);
  });
});

describe("norms", () => {
  const matrix = np.array([
    [1, 2],
    [3, 4],
  ]);
  const orders = ["fro", "nuc", Infinity, -Infinity, 1, -1, 2, -2] as const;

  it("of matrices have all orders", () => {
    const found = orders.map((order) => np.linalg.norm(matrix, order).item());
    const expected = [5.4772256, 5.8309519, 7, 3, 6, 4, 5.4649857, 0.36596619];
    found.forEach((value, at) => expect(value).toBeCloseTo(expected[at], 5));
    expect(np.linalg.norm(matrix).item()).toBeCloseTo(5.4772256, 5);
    expect(np.linalg.norm(matrix, "inf").item()).toBe(7);
  });

  it("of matrices lie along any two axes", () => {
    const cube = np.arange(8).reshape([2, 2, 2]);
    const [kept, gone] = [true, false].map((keepdims) => np.linalg.norm(cube, 2, [0, 2], { keepdims }));
    expect(kept.shape).toEqual([1, 2, 1]);
    const apart = [0, 1].map((at) => np.linalg.norm(cube.slice(":", at), 2).item());
    expect(values(gone)).toEqual(apart);
    expectClose(vmap((m: Array) => np.linalg.norm(m, 2), 1)(cube), np.array(apart), { rtol: 1e-6 });
    expect(values(np.linalg.norm(cube, 1, [0, 2]))).toEqual([6, 10]);
    expect(values(np.linalg.norm(cube, 1, [2, 0]))).toEqual([9, 13]);
  });

  it("of vectors have any order", () => {
    const v = np.array([3, 0, -4]);
    const found = ([null, 2, 1, 0, 3, Infinity, -Infinity] as const).map((order) =>
      np.linalg.norm(v, order).item(),
    );
    expect(found).toEqual([5, 5, 7, 2, expect.closeTo(91 ** (1 / 3), 5), 4, 0]);
    expect(np.linalg.norm(np.zeros([0]), Infinity).item()).toBe(0);
  });

  it("are differentiable twice and compile", () => {
    const x = random.normal(random.key(3), [4, 3]);
    for (const order of orders) {
      checkGrads((m: Array) => np.linalg.norm(m, order), [x.astype("float64")], 2);
      const f = grad((m: Array) => np.linalg.norm(m, order));
      const [compiled, plain] = [jit(f)(x), f(x)];
      expect(np.max(compiled.sub(plain).abs()).item()).toBeLessThan(1e-5);
    }
  });

  it("have gradients where columns are dependent, zero or orthogonal already", () => {
    const largest = grad((m: Array) => np.linalg.norm(m, 2));
    const dependent = largest(np.array([[1, 2, 3], [2, 4, 6], [1, 0, 1]])); // prettier-ignore
    expect(np.linalg.norm(dependent).item()).toBeCloseTo(1, 5);
    expect(values(largest(np.eye(2)))).toEqual([
      [0.5, 0],
      [0, 0.5],
    ]);
    expect(np.linalg.norm(np.zeros([2, 3]), "nuc").item()).toBe(0);
    expect(np.linalg.norm(np.full([2, 2], 1e30), 2).item() / 2e30).toBeCloseTo(1, 5);
  });

  it("of more than two axes, and unknown orders, are refused", () => {
    expect(() => np.linalg.norm(np.ones([2, 2, 2]), 2)).toThrow(
      /give one axis for vectors or two for matrices/,
    );
    expect(() => np.linalg.norm(matrix, 3)).toThrow(/the order of a matrix norm must be 1, -1, 2/);
    expect(() => np.linalg.norm(np.ones([2]), "fro")).toThrow(
      /the order of a vector norm must be a number, got "fro"/,
    );
  });
});

describe("reductions", () => {
  const x = np.array([
    [1, -2, NaN],
    [4, 5, 6],
  ]);
  const where = np.bool([
    [true, true, false],
    [false, false, false],
  ]);

  it("leave out what where leaves out", () => {
    expect(values(x.sum(1, { where }))).toEqual([-1, 0]);
    expect(values(x.prod(1, { where }))).toEqual([-2, 1]);
    expect(values(x.mean(1, { where }))).toEqual([-0.5, NaN]);
    expect(values(x.var(1, { where }))).toEqual([2.25, NaN]);
    expect(values(x.max(1, { where, initial: 0 }))).toEqual([1, 0]);
    expect(values(x.min(1, { where, initial: 0 }))).toEqual([-2, 0]);
    expect(values(x.greater(0).all(1, { where, keepdims: true }))).toEqual([[false], [true]]);
    expect(values(x.any(1, { where: np.bool([true, false, false]) }))).toEqual([true, true]);
    expect(values(grad((v: Array) => v.sum(null, { where }))(x))).toEqual([
      [1, 1, 0],
      [0, 0, 0],
    ]);
  });

  it("start from the initial value", () => {
    expect(np.sum(np.array([1, 2]), null, { initial: 10 }).item()).toBe(13);
    expect(np.prod(np.array([2, 3]), null, { initial: 10 }).item()).toBe(60);
    expect(np.max(np.zeros([0]), null, { initial: 7 }).item()).toBe(7);
  });

  it("refuse a mask that is no bool, and extremes of nothing", () => {
    expect(() => x.mean(1, { where: x })).toThrow(/mean: where must be a bool array, got float32\[2,3\]/);
    expect(() => x.max(1, { where })).toThrow(/max: with where it needs an initial value/);
    expect(() => x.sum(1, { initial: np.zeros([2]) })).toThrow(
      /sum: initial must be a scalar, got float32\[2\]/,
    );
  });
});

describe("diagonals", () => {
  it("lie above (k > 0) or below the main one", () => {
    expect(values(np.diag(np.array([1, 2]), 1))).toEqual([
      [0, 1, 0],
      [0, 0, 2],
      [0, 0, 0],
    ]);
    const m = np.arange(12).reshape([3, 4]);
    expect(values(np.diag(m, -1))).toEqual([4, 9]);
    expect(values(np.diagonal(m, 2))).toEqual([2, 7]);
    expect([0, 1, -2, 9].map((offset) => np.trace(m, offset).item())).toEqual([15, 18, 8, 0]);
  });
});
