// The NumPy surface: products, norms, factorisations and convolutions agree with loops.
import { describe, expect, it } from "vitest";
import { lax, np, random, type Array } from "vibe-rl/array";
import { expectClose } from "../golden.js";

const list = (x: Array) => x.toArray();

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
