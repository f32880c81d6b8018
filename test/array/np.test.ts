// The NumPy surface: creation, dtypes and promotion, elementwise semantics, shaping, products.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dtypes, lax, np, random, type Array, type DType } from "vibe-rl/array";
import { expectClose } from "../golden.js";

const list = (x: Array) => x.toArray();

describe("creation", () => {
  it("takes numbers as float32, booleans as bool, typed arrays as what they are", () => {
    expect(np.array([1, 2, 3]).dtype).toBe("float32");
    expect(np.array([true, false]).dtype).toBe("bool");
    expect(np.array(Int32Array.of(1, 2)).dtype).toBe("int32");
    expect(np.array(Uint8Array.of(1, 2)).dtype).toBe("uint8");
    expect(np.array([1, 2], { dtype: "uint8" }).dtype).toBe("uint8");
    expect(np.array(new Float64Array(2)).dtype).toBe("float32");
    expect(np.array([np.zeros([2]), np.ones([2])]).toArray()).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(np.array([]).shape).toEqual([0]);
  });

  it("copies what it is given and what it gives", () => {
    const data = Float32Array.of(1, 2);
    const x = np.array(data);
    data[0] = 9;
    x.data()[1] = 9;
    expect(list(x)).toEqual([1, 2]);
  });

  it("counts, spaces and fills", () => {
    expect(list(np.arange(3))).toEqual([0, 1, 2]);
    expect(np.arange(3).dtype).toBe("int32");
    expect(list(np.arange(5, 0, -2))).toEqual([5, 3, 1]);
    expect(np.arange(0, 1, 0.5).dtype).toBe("float32");
    expect(list(np.linspace(0, 1, 5))).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(list(np.linspace(0, 1, 4, { endpoint: false }))).toEqual([0, 0.25, 0.5, 0.75]);
    expect(list(np.eye(2, 3, { k: 1 }))).toEqual([
      [0, 1, 0],
      [0, 0, 1],
    ]);
    expect(list(np.full([2], 7))).toEqual([7, 7]);
    expect(np.zerosLike(np.int32([1, 2])).dtype).toBe("int32");
    expect(list(np.tril(np.ones([2, 2])))).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect(list(np.triu(np.ones([2, 2]), 1))).toEqual([
      [0, 1],
      [0, 0],
    ]);
    expect(list(np.diag(np.array([1, 2])))).toEqual([
      [1, 0],
      [0, 2],
    ]);
    expect(
      list(
        np.diag(
          np.array([
            [1, 2],
            [3, 4],
          ]),
        ),
      ),
    ).toEqual([1, 4]);
  });
});

describe("arrays are independent of what they were made from", () => {
  it("of the shape list too", () => {
    const shape = [2, 3];
    const [x, y] = [np.zeros(shape), np.arange(6).reshape(shape)];
    shape[0] = 6;
    expect([x.shape, y.shape]).toEqual([
      [2, 3],
      [2, 3],
    ]);
  });

  it("lists of arrays and numbers meet like operands", () => {
    expect(np.array([np.int32(1), 2]).dtype).toBe("int32");
    expect(list(np.linspace(np.array([0, 1]), np.array([1, 5]), 2))).toEqual([
      [0, 1],
      [1, 5],
    ]);
    expect(list(np.linspace(-1, 1, 4, { dtype: "int32" }))).toEqual([-1, -1, 0, 1]);
  });
});

describe("promotion is JAX's", () => {
  const order: readonly DType[] = ["bool", "uint8", "uint32", "int32", "float32", "float64"];
  it("between arrays", () => {
    expect([...dtypes]).toEqual(order);
    for (const [a, left] of order.entries()) {
      for (const [b, right] of order.entries()) {
        if (a === 0 && b === 0) continue;
        const sum = np.zeros([2], { dtype: left }).mul(np.zeros([2], { dtype: right }));
        expect([left, right, sum.dtype]).toEqual([left, right, order[Math.max(a, b)]]);
      }
    }
  });

  it("plain numbers give way", () => {
    expect(np.int32([1]).add(2).dtype).toBe("int32");
    expect(np.uint8([1]).add(2).dtype).toBe("uint8");
    expect(np.int32([1]).add(2.5).dtype).toBe("float32");
    expect(np.float64([1]).add(2.5).dtype).toBe("float64");
    expect(np.bool([true]).add(1).dtype).toBe("int32");
    expect(np.where(np.bool([true]), 1, 0).dtype).toBe("int32");
    expect(np.where(np.bool([true]), 1, 0).add(np.float32([1])).dtype).toBe("float32");
    expect(np.where(np.bool([true]), 1, 0.5).dtype).toBe("float32");
    expect(np.int32([7]).div(2).toArray()).toEqual([3.5]);
    expect(np.sqrt(np.int32([4])).dtype).toBe("float32");
  });

  it("a result of plain numbers alone stays weak until it meets an array", () => {
    const weak = np.maximum(1, 2);
    expect([weak.dtype, weak.weakType]).toEqual(["int32", true]);
    expect(weak.add(np.uint8([1])).dtype).toBe("uint8");
    expect(weak.astype("int32").weakType).toBe(false);
  });
});

describe("conversion", () => {
  it("cuts floats towards zero, clamps, and wraps integers", () => {
    const floats = np.array([-1.7, 1.7, NaN, 1e20, -1e20, 300]);
    expect(list(floats.astype("int32"))).toEqual([-1, 1, 0, 2147483647, -2147483648, 300]);
    expect(list(floats.astype("uint8"))).toEqual([0, 1, 0, 255, 0, 255]);
    expect(list(np.int32([-1, 256]).astype("uint8"))).toEqual([255, 0]);
    expect(list(np.uint32([4294967295]).astype("int32"))).toEqual([-1]);
    expect(list(floats.astype("bool"))).toEqual([true, true, true, true, true, true]);
  });

  it("bit casts keep the bits", () => {
    expect(list(lax.bitcastConvertType(np.float32([1, -0]), "uint32"))).toEqual([0x3f800000, 0x80000000]);
    expect(() => lax.bitcastConvertType(np.float32([1]), "uint8")).toThrow(/widths must be equal/);
  });
});

describe("integers", () => {
  it("wrap around", () => {
    expect(list(np.int32([2147483647]).add(1))).toEqual([-2147483648]);
    expect(list(np.uint32([0]).sub(1))).toEqual([4294967295]);
    expect(list(np.uint8([200]).mul(2))).toEqual([144]);
    expect(list(np.int32([65537]).mul(65537))).toEqual([131073]);
    expect(list(np.int32([-2147483648]).abs())).toEqual([-2147483648]);
    expect(list(np.int32([[65537, 1]]).matmul(np.int32([65537, 5])))).toEqual([131078]);
  });

  it("divide as XLA does, also by zero", () => {
    expect(list(lax.div(np.int32([7, -7, 5]), np.int32([2, 2, 0])))).toEqual([3, -3, -1]);
    expect(list(lax.rem(np.int32([7, -7, 5]), np.int32([2, 2, 0])))).toEqual([1, -1, 5]);
    expect(list(lax.div(np.int32([-2147483648]), np.int32([-1])))).toEqual([-2147483648]);
  });

  it("shift beyond their width to nothing", () => {
    expect(list(np.leftShift(np.uint32([1, 1]), np.uint32([31, 32])))).toEqual([2147483648, 0]);
    expect(list(np.rightShift(np.int32([-8, -8]), np.int32([1, 40])))).toEqual([-4, -1]);
    expect(list(lax.shiftRightLogical(np.int32([-1]), np.int32([28])))).toEqual([15]);
  });

  it("powers are exact", () => {
    expect(list(np.int32([3, -2]).pow(5))).toEqual([243, -32]);
    expect(list(np.power(np.int32([3, 2]), np.int32([4, 31])))).toEqual([81, -2147483648]);
    expect(list(np.array([2, 4]).pow(-2))).toEqual([0.25, 0.0625]);
    expect(list(np.array([0, 3]).pow(0))).toEqual([1, 1]);
  });
});

describe("floats", () => {
  it("follow IEEE 754 where JavaScript would not", () => {
    expect(list(np.power(np.array([1, -1]), np.array([NaN, Infinity])))).toEqual([1, 1]);
    expect(list(np.round(np.array([0.5, 1.5, 2.5, -0.5, -1.5])))).toEqual([0, 2, 2, -0, -2]);
    expect(list(np.array([1, NaN]).max())).toBe(NaN);
    expect(list(np.maximum(np.array([1, NaN]), np.array([NaN, 1])))).toEqual([NaN, NaN]);
    expect(list(np.argmax(np.array([1, NaN, 3])))).toBe(1);
    expect(list(np.sort(np.array([3, NaN, 1])))).toEqual([1, 3, NaN]);
  });

  it("floor division and remainder agree", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -99, max: 99 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (a, b, flip) => {
          const divisor = flip ? -b : b;
          for (const [x, y] of [
            [np.float32(a / 4), np.float32(divisor)],
            [np.int32(a), np.int32(divisor)],
          ]) {
            const quotient = x.floorDivide(y);
            expect(quotient.mul(y).add(x.mod(y)).item()).toBeCloseTo(x.item(), 4);
            expect(quotient.item()).toBeCloseTo(Math.floor(x.item() / y.item()), 6);
          }
        },
      ),
    );
    expect(np.float32(1).floorDivide(np.float32(0.1)).item()).toBe(9);
  });

  it("compare, test and replace", () => {
    const x = np.array([1, NaN, Infinity, -Infinity]);
    expect(list(np.isnan(x))).toEqual([false, true, false, false]);
    expect(list(np.isinf(x))).toEqual([false, false, true, true]);
    expect(list(np.isfinite(x))).toEqual([true, false, false, false]);
    expect(list(np.nanToNum(x, { posinf: 9, neginf: -9 }))).toEqual([1, 0, 9, -9]);
    expect(list(x.greaterEqual(1))).toEqual([true, false, true, false]);
    expect(list(np.isclose(np.array([1, Infinity]), np.array([1.000001, Infinity])))).toEqual([true, true]);
    expect(list(np.clip(np.array([-2, 0.5, 2]), -1, null))).toEqual([-1, 0.5, 2]);
    expect(list(np.logicalXor(np.array([0, 2]), true))).toEqual([true, false]);
  });

  it("the functions made of others are accurate", () => {
    const x = np.linspace(-0.95, 0.95, 9);
    const table: readonly (readonly [(x: Array) => Array, (x: number) => number])[] = [
      [np.tan, Math.tan],
      [np.arcsin, Math.asin],
      [np.arccos, Math.acos],
      [np.arctan, Math.atan],
      [np.sinh, Math.sinh],
      [np.cosh, Math.cosh],
      [np.exp2, (v) => 2 ** v],
      [(v) => np.log2(v.add(2)), (v) => Math.log2(v + 2)],
      [(v) => np.log10(v.add(2)), (v) => Math.log10(v + 2)],
      [(v) => np.hypot(v, 2), (v) => Math.hypot(v, 2)],
      [(v) => np.logaddexp(v, 1), (v) => Math.log(Math.exp(v) + Math.exp(1))],
      [(v) => lax.rsqrt(v.add(1)), (v) => 1 / Math.sqrt(v + 1)],
    ];
    for (const [ours, theirs] of table) {
      const truth = np.array([...x.data()].map(theirs));
      expectClose(ours(x), truth, { rtol: 3e-6, atol: 1e-7 });
    }
    const far = np.array([100, -20, -10, 89]);
    expectClose(np.sinh(far), np.array([...far.data()].map(Math.sinh)), { rtol: 1e-5 });
    expectClose(np.cosh(far), np.array([...far.data()].map(Math.cosh)), { rtol: 1e-5 });
    expect(np.hypot(1e30, 1e30).item()).toBeCloseTo(Math.SQRT2 * 1e30, -24);
    expect(list(np.logaddexp(np.array([Infinity, -Infinity]), np.array([Infinity, -Infinity])))).toEqual([
      Infinity,
      -Infinity,
    ]);
  });
});

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

describe("products agree with loops", () => {
  const a = random.normal(random.key(0), [2, 3, 4]);
  const b = random.normal(random.key(1), [2, 4, 5]);
  const at = (x: Array, ...index: number[]) => x.slice(...index).item();

  it("einsum, matmul and dotGeneral are the same sum", () => {
    const naive = np.array(
      [0, 1].map((n) =>
        [0, 1, 2].map((i) =>
          [0, 1, 2, 3, 4].map((k) =>
            [0, 1, 2, 3].reduce((sum, j) => sum + at(a, n, i, j) * at(b, n, j, k), 0),
          ),
        ),
      ),
    );
    const near = { rtol: 1e-5, atol: 1e-6 };
    expectClose(np.matmul(a, b), naive, near);
    expectClose(np.einsum("nij,njk->nik", a, b), naive, near);
    expectClose(np.einsum("...ij,...jk", a, b), naive, near);
    expect(np.einsum("...i,...i->...", np.ones([1, 3]), np.ones([2, 3])).toArray()).toEqual([3, 3]);
    expect(np.einsum("bi,bj->bij", np.ones([2, 1]), np.ones([2, 3])).shape).toEqual([2, 1, 3]);
    expectClose(lax.dotGeneral(a, b, { contract: [[2], [1]], batch: [[0], [0]] }), naive, near);
    expectClose(np.einsum("nij,njk->kin", a, b), naive.T, near);
    expectClose(
      np.matmul(a.slice(0), b),
      np.stack([a.slice(0).matmul(b.slice(0)), a.slice(0).matmul(b.slice(1))]),
      near,
    );
    expectClose(
      np.matmul(a, b.slice(0)),
      np.stack([a.slice(0).matmul(b.slice(0)), a.slice(1).matmul(b.slice(0))]),
      near,
    );
  });

  it("vectors, outer products, traces, norms", () => {
    const [u, v] = [np.array([1, 2, 3]), np.array([4, 5, 6])];
    expect(np.dot(u, v).item()).toBe(32);
    expect(np.inner(u, v).item()).toBe(32);
    expect(np.vdot(np.stack([u, u]), np.stack([v, v])).item()).toBe(64);
    expect(list(np.outer(u, v))).toEqual([
      [4, 5, 6],
      [8, 10, 12],
      [12, 15, 18],
    ]);
    expect(np.tensordot(a, a, 3).item()).toBeCloseTo(a.mul(a).sum().item(), 4);
    expect(np.trace(np.outer(u, v)).item()).toBe(32);
    expect(np.einsum("ii", np.outer(u, v)).item()).toBe(32);
    expect(list(np.einsum("ij->j", np.outer(u, v)))).toEqual([24, 30, 36]);
    expect(np.linalg.norm(np.array([3, 4])).item()).toBe(5);
    expect(np.linalg.norm(np.array([3, -4]), 1).item()).toBe(7);
    expect(np.linalg.norm(np.array([3, -4]), "inf").item()).toBe(4);
  });

  it("qr gives orthonormal columns and an upper triangle, with LAPACK's signs", () => {
    for (const shape of [
      [4, 3],
      [3, 3],
      [2, 5],
      [1, 1],
    ]) {
      const x = random.normal(random.key(shape[0]), shape);
      for (const mode of ["reduced", "complete"] as const) {
        const [q, r] = np.linalg.qr(x, { mode });
        expectClose(q.matmul(r), x, { rtol: 1e-5, atol: 1e-6 });
        expectClose(q.T.matmul(q), np.eye(q.shape[1]), { rtol: 0, atol: 2e-6 });
        expectClose(np.triu(r), r, { rtol: 0 });
      }
    }
    const [, r] = np.linalg.qr(
      np.array([
        [3, 1],
        [4, 2],
      ]),
    );
    expectClose(
      r,
      np.array([
        [-5, -2.2],
        [0, 0.4],
      ]),
      { rtol: 1e-5 },
    );
  });

  it("convolutions agree with loops, in every layout and grouping", () => {
    const x = random.normal(random.key(2), [1, 5, 6, 4]);
    const w = random.normal(random.key(3), [2, 3, 4, 2]);
    const y = lax.convGeneralDilated(
      x,
      w,
      [2, 1],
      [
        [1, 0],
        [0, 2],
      ],
    );
    expect(y.shape).toEqual([1, 3, 6, 2]);
    const naive = (oy: number, ox: number, o: number) => {
      let sum = 0;
      for (let ky = 0; ky < 2; ky++) {
        for (let kx = 0; kx < 3; kx++) {
          const [iy, ix] = [oy * 2 - 1 + ky, ox + kx];
          if (iy < 0 || iy >= 5 || ix >= 6) continue;
          for (let c = 0; c < 4; c++) sum += at(x, 0, iy, ix, c) * at(w, ky, kx, c, o);
        }
      }
      return sum;
    };
    expect(at(y, 0, 0, 0, 0)).toBeCloseTo(naive(0, 0, 0), 4);
    expect(at(y, 0, 2, 5, 1)).toBeCloseTo(naive(2, 5, 1), 4);
    const channelsFirst = lax.convGeneralDilated(
      x.transpose([0, 3, 1, 2]),
      w.transpose([3, 2, 0, 1]),
      [2, 1],
      [
        [1, 0],
        [0, 2],
      ],
      {
        dimensionNumbers: ["NCHW", "OIHW", "NCHW"],
      },
    );
    expectClose(channelsFirst.transpose([0, 2, 3, 1]), y, { rtol: 1e-6 });
    const grouped = lax.convGeneralDilated(x, w.slice(":", ":", ":2"), [1, 1], "VALID", {
      featureGroupCount: 2,
    });
    const [left, right] = [0, 1].map((g) =>
      lax.convGeneralDilated(
        x.slice("...", `${2 * g}:${2 * g + 2}`),
        w.slice(":", ":", ":2", `${g}:${g + 1}`),
        [1, 1],
        "VALID",
      ),
    );
    expectClose(grouped, np.concatenate([left, right], -1), { rtol: 1e-5, atol: 1e-6 });
  });
});
