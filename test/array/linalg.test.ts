// Linear algebra beyond the golden figures: larger and harder matrices, second derivatives, mistakes.
import { describe, expect, it } from "vitest";
import { checkGrads, grad, jit, np, random, vmap, type Array } from "vibe-rl/array";
import { expectClose } from "../closeness.js";

const { linalg } = np;
const normal = (shape: readonly number[], seed = 0): Array => random.normal(random.key(seed), shape);
const float64 = (shape: readonly number[], seed = 0): Array => normal(shape, seed).astype("float64");
const identity = (n: number): Array => np.eye(n);
const tolerance = { rtol: 1e-3, atol: 2e-4 };

describe("decompositions give the matrix back, compiled", () => {
  const x = normal([2, 3, 12, 9]);
  const square = normal([24, 24], 1);

  it("svd, of tall and wide matrices and of any rank", () => {
    const rebuild = jit((m: Array) => {
      const [u, s, vt] = linalg.svd(m, { fullMatrices: false });
      return [u.mul(np.expandDims(s, -2)).matmul(vt), np.swapaxes(u, -1, -2).matmul(u)] as const;
    });
    for (const m of [x, np.swapaxes(x, -1, -2)]) {
      const [again, gram] = rebuild(m);
      expectClose(again, m, tolerance);
      expectClose(gram, np.broadcastTo(identity(9), [2, 3, 9, 9]), tolerance);
    }
    const low = np.outer(normal([6]), normal([6], 1));
    const [u, s, vt] = linalg.svd(low);
    expectClose(u.mul(s).matmul(vt), low, tolerance);
    expectClose(u.T.matmul(u), identity(6), tolerance);
    const [full] = linalg.svd(x.slice(0, 0));
    expect(full.shape).toEqual([12, 12]);
    expectClose(full.T.matmul(full), identity(12), tolerance);
  });

  it("eigh, of eigenvalues of both signs, of equal ones and of odd sizes", () => {
    const run = jit((m: Array) => {
      const [w, v] = linalg.eigh(m);
      return [v.mul(w).matmul(v.T), v.T.matmul(v), np.sort(w).sub(w)] as const;
    });
    const mixed = square.add(square.T);
    for (const m of [
      mixed,
      identity(5).mul(3),
      np.zeros([3, 3]),
      np.array([
        [0, 1],
        [1, 0],
      ]),
      mixed.slice(":7", ":7"),
    ]) {
      const [again, gram, order] = run(m);
      expectClose(again, m, { atol: 1e-4 });
      expectClose(gram, identity(m.shape[0]), { atol: 1e-4 });
      expectClose(order, np.zeros([m.shape[0]]), {});
    }
  });

  it("cholesky, solve and inv", () => {
    const positive = square.matmul(square.T).add(identity(24));
    const l = jit((m: Array) => linalg.cholesky(m))(positive);
    expectClose(l.matmul(l.T), positive, tolerance);
    expectClose(jit((m: Array) => m.matmul(linalg.inv(m)))(square), identity(24), { atol: 1e-3 });
    const [sign, logarithm] = linalg.slogdet(positive);
    expect(sign.item()).toBe(1);
    expect(logarithm.item()).toBeCloseTo(2 * np.log(np.diagonal(l)).sum().item(), 2);
  });
});

describe("derivatives agree with finite differences, to second order in both modes", () => {
  const m = float64([3, 3]).add(np.eye(3, null, { dtype: "float64" }).mul(3));
  const cases: Record<string, [f: (...args: Array[]) => unknown, ...args: Array[]]> = {
    cholesky: [(x) => linalg.cholesky(x.matmul(x.T)), m],
    solve: [(a, b) => linalg.solve(a, b), m, float64([3, 2], 1)],
    inv: [(a) => linalg.inv(a), m],
    det: [(a) => linalg.det(a), m],
    slogdet: [(a) => linalg.slogdet(a)[1], m],
    triangularSolve: [(a, b) => linalg.triangularSolve(a, b, { lower: true }), m, float64([2, 3], 1)],
    "eigh, values": [(a) => linalg.eigvalsh(a), m],
    "svd, values": [(a) => linalg.svd(a, { computeUv: false }), float64([3, 2])],
  };
  for (const [name, [f, ...args]] of Object.entries(cases)) {
    it(name, () => {
      checkGrads(f, args, 2);
    });
  }
});

describe("linalg", () => {
  it("works under vmap as it does on stacks", () => {
    const batch = normal([3, 4, 4]);
    const right = normal([3, 4, 2], 1);
    expectClose(vmap(linalg.solve)(batch, right), linalg.solve(batch, right), { rtol: 1e-6 });
    const loss = (a: Array): Array => linalg.slogdet(a)[1].sum();
    expectClose(vmap(grad(loss))(batch), grad(loss)(batch), { rtol: 1e-5, atol: 1e-6 });
    expect(linalg.solve(np.eye(2), np.int32([2, 3])).toArray()).toEqual([2, 3]);
  });

  it("takes empty matrices", () => {
    const none = np.zeros([0, 0]);
    expect(linalg.det(none).item()).toBe(1);
    expect(linalg.inv(none).shape).toEqual([0, 0]);
    expect(linalg.cholesky(none).shape).toEqual([0, 0]);
    expect(linalg.eigh(none).map((part) => part.shape)).toEqual([[0], [0, 0]]);
    expect(linalg.svd(np.zeros([3, 0]), { fullMatrices: false }).map((part) => part.shape)).toEqual([
      [3, 0],
      [0],
      [0, 0],
    ]);
  });

  it("says what does not fit", () => {
    expect(() => linalg.det(np.ones([2, 3]))).toThrow(
      /np.linalg.det: needs square matrices, got float32\[2,3\]/,
    );
    expect(() => linalg.inv(np.ones([2]))).toThrow(/needs a matrix or a stack of matrices, got float32\[2\]/);
    expect(() => linalg.solve(np.eye(3), np.ones([2]))).toThrow(
      /the rows of b must match a, got float32\[3,3\] and float32\[2\]/,
    );
    expect(() => linalg.triangularSolve(np.eye(3), np.ones([3, 2]))).toThrow(/the columns of b must match a/);
    expect(() => grad((x: Array) => linalg.svd(x)[0].sum())(np.ones([3, 2]))).toThrow(
      /with fullMatrices it has no derivative.*use \{ fullMatrices: false \}/,
    );
    expect(() => linalg.matrixPower(np.eye(2), 0.5)).toThrow(/n must be a whole number/);
  });
});
