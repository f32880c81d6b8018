// Compiled products equal interpreted ones. Whole numbers make the sums exact.
import { describe, it } from "vitest";
import { grad, lax, nn, np, random, vmap, type Array } from "vibe-rl/array";
import { expectAllSame, expectSame, wholeNumbers } from "./compare.js";
import {
  einsumCases,
  einsums,
  epilogueArguments,
  epilogues,
  epilogueSizes,
  everyLayout,
  left,
  matrices,
  right,
} from "./productPrograms.js";

describe("matrix products", () => {
  const odd = [1, 2, 3, 4, 5, 8, 17];
  it.each(odd)("with %i rows", (rows) => {
    expectAllSame(odd.flatMap((depth) => odd.map((columns) => matrices(rows, depth, columns))));
  });
  it("of few columns and great depth", () => {
    expectAllSame(
      [16, 17, 18, 19, 33, 100].flatMap((depth) =>
        [1, 2, 3].flatMap((few) =>
          [1, 3, 4, 6].flatMap((rows) => [matrices(rows, depth, few), matrices(few, depth, rows)]),
        ),
      ),
    );
  });
  it("of many rows and columns", () => {
    expectAllSame([
      matrices(8, 5, 128),
      matrices(9, 33, 131),
      matrices(97, 6, 129),
      matrices(200, 3, 140),
      matrices(13, 140, 12),
      matrices(131, 2, 9),
      matrices(64, 64, 64),
      matrices(70, 9, 40),
      matrices(193, 5, 33),
    ]);
  });
  it("of nothing", () => {
    expectAllSame([
      matrices(0, 3, 4),
      matrices(3, 0, 4),
      matrices(3, 4, 0),
      matrices(0, 0, 0),
      matrices(1, 0, 1),
    ]);
    expectSame((a, b) => [a.matmul(b), b.sum()], [np.zeros([0, 3, 4]), np.zeros([0, 4, 5])]);
    expectSame((a, b) => a.matmul(b).add(1), [np.zeros([2, 3, 0]), np.zeros([2, 0, 5])]);
  });
  it("of vectors", () => {
    for (const size of [1, 3, 4, 7, 16, 17, 100]) {
      expectSame(
        (v, w, m) => [
          v.dot(w),
          v.matmul(m),
          m.T.matmul(w),
          np.vdot(v, w),
          np.inner(v, w),
          np.outer(v, w),
          m.matmul(m.T.dot(v)),
        ],
        [left([size]), right([size]), left([size, 5])],
      );
    }
  });
});

describe("einsum and tensordot", () => {
  it.each(einsums)("%s", (formula) => expectAllSame(einsumCases(formula)));
  it("over pairs of axes in any order", () => {
    const [x, y] = [left([3, 4, 5, 2]), right([5, 4, 3, 6])];
    expectSame(
      (a, b) => [
        np.tensordot(a, b, [2, 0]),
        np.tensordot(a, b, [
          [1, 2],
          [1, 0],
        ]),
        np.tensordot(a, b, [
          [0, 2, 1],
          [2, 0, 1],
        ]),
        np.tensordot(a, b.slice(0, ":2", 0), 0),
        lax.dotGeneral(a, b, {
          contract: [[2], [0]],
          batch: [
            [1, 0],
            [1, 2],
          ],
        }),
      ],
      [x, y],
    );
  });
  it("matmul broadcasts its batches", () => {
    const shapes: [number[], number[]][] = [
      [
        [2, 3, 4, 5],
        [5, 6],
      ],
      [
        [4, 5],
        [2, 3, 5, 6],
      ],
      [
        [2, 1, 4, 5],
        [3, 5, 6],
      ],
      [[5], [2, 5, 3]],
      [[2, 4, 5], [5]],
      [
        [1, 1, 5],
        [3, 5, 1],
      ],
    ];
    for (const [a, b] of shapes) expectSame((x, y) => x.matmul(y), [left(a), right(b)]);
  });
});

describe("of integers", () => {
  it.each(["int32", "uint32", "uint8"] as const)("%s wraps around", (dtype) => {
    const [a, b] = [wholeNumbers([5, 7], dtype).mul(37), wholeNumbers([7, 9], dtype, 2).mul(19)];
    expectSame(
      (x, y) => [
        x.matmul(y),
        y.T.matmul(x.T),
        x.slice(0).dot(y),
        x.slice("::2").matmul(y.slice(":", "::-1")),
        np.vdot(x, x),
      ],
      [a, b],
    );
    expectSame(
      (x, y) => np.einsum("bij,bjk->bki", x, y),
      [wholeNumbers([3, 4, 5], dtype), wholeNumbers([3, 5, 2], dtype)],
    );
    expectSame((x, y) => x.matmul(y).add(1), [np.zeros([2, 0], { dtype }), np.zeros([0, 3], { dtype })]);
  });
  it("bool and integers meet before they are multiplied", () => {
    expectSame(
      (x, y) => [x.matmul(y), x.astype("float32").matmul(y)],
      [wholeNumbers([5, 7], "bool"), wholeNumbers([7, 3], "int32")],
    );
  });
});

describe("operands that are views", () => {
  const [a, b] = [left([9, 12]), right([12, 10])];
  const views: Record<string, (x: Array) => Array> = {
    stepped: (x) => x.slice("::2", "1::2"),
    "of every third row": (x) => x.slice("::3"),
    flipped: (x) => np.flip(x),
    "flipped and stepped": (x) => x.slice("::-2", "::-1"),
    transposed: (x) => x.T.reshape([x.shape[1], x.shape[0]]),
    "one row for all": (x) => np.broadcastTo(x.slice(1), x.shape),
    "one column for all": (x) => np.broadcastTo(x.slice(":", "2:3"), x.shape),
    reshaped: (x) => x.reshape([-1, 6]),
    "a corner": (x) => x.slice("2:5", "3:8"),
    "a row": (x) => x.slice("4:5"),
    "a column": (x) => x.slice(":", "4:5"),
    padded: (x) =>
      np.pad(x, [
        [1, 2],
        [3, 0],
      ]),
    "at a computed place": (x) => lax.dynamicSlice(x, [x.slice(0, 0).astype("int32").abs(), 1], [5, 7]),
    "of computed rows": (x) => x.slice(np.array([3, 0, 3, 8], { dtype: "int32" })),
    "of a constant": (x) => np.full(x.shape, 2),
    "of computed numbers": (x) => np.arange(x.size).reshape(x.shape).mod(5).astype("float32"),
    concatenated: (x) => np.concatenate([x, x.slice("::-1")]),
    "cut out of a larger product": (x) => x.matmul(x.T).slice("1:8", ":5"),
  };
  it.each(Object.entries(views))("%s", (_, view) => {
    const matched = (x: Array): Array => {
      const v = view(x);
      return v.matmul(v.T);
    };
    expectSame(
      (x, y) => [
        view(x).matmul(right([view(x).shape[1], 5])),
        left([5, view(y).shape[0]]).matmul(view(y)),
        view(x).matmul(right([view(x).shape[1]])),
        matched(x),
        view(y).T.matmul(view(y)),
      ],
      [a, b],
    );
  });
  it("windows", () => {
    const w = right([3, 4]);
    const windows = (x: Array) => np.stack([x.slice(":7"), x.slice("1:8"), x.slice("2:9")], 1);
    expectSame((x) => np.einsum("nkc,kd->ncd", windows(x), w), [a]);
  });
  it("slices of the turn of a loop", () => {
    expectSame(
      (x, y) =>
        lax.scan(
          (c: Array, [row, m]: [Array, Array]) => [
            c.add(row.matmul(m)),
            [m.T.matmul(row), row.slice("::2").matmul(m.slice("::2"))],
          ],
          np.zeros([4]),
          [x, y] as [Array, Array],
        ),
      [left([5, 6]), right([5, 6, 4])],
    );
  });
});

describe("what follows a product", () => {
  it.each(Object.entries(epilogues))("%s", (_, f) => {
    expectAllSame(
      epilogueSizes.map((size) => ({ name: size.join(" × "), f, args: epilogueArguments(...size) })),
      { ulps: 4 },
    );
  });
  it("batches", () => {
    expectSame(
      (x, w, b) => [
        nn.relu(x.matmul(w).add(b)),
        np.where(x.matmul(w).greater(2), b, x.matmul(w)),
        x.matmul(w).sum(0),
      ],
      [left([3, 5, 7]), right([3, 7, 6]), wholeNumbers([3, 1, 6], "float32", 3)],
    );
  });
  it("layers of a network, forwards and backwards", () => {
    const network = (w1: Array, b1: Array, w2: Array, x: Array) =>
      nn
        .logSoftmax(np.tanh(x.matmul(w1).add(b1)).matmul(w2))
        .slice(":", 0)
        .mean();
    const args = [[6, 13], [13], [13, 3], [10, 6]].map((shape, at) => random.normal(random.key(at), shape));
    expectSame(network, args, { rtol: 1e-5 });
    expectSame(grad(network, { argnums: [0, 1, 2, 3] }), args, { rtol: 2e-5, atol: 1e-6 });
    expectSame(
      vmap(grad(network), [null, null, null, 0]),
      [...args.slice(0, 3), args[3].reshape([5, 2, 6])],
      {
        rtol: 2e-5,
        atol: 1e-6,
      },
    );
  });
});

describe("NaN and infinity stay in their row and column", () => {
  it.each([
    [5, 7, 9],
    [6, 18, 2],
    [2, 17, 5],
    [9, 3, 130],
    [4, 4, 4],
  ])("%i × %i × %i", (rows, depth, columns) => {
    const args = matrices(rows, depth, columns).args.map((x, at) =>
      x.at(x.shape[0] - 1, x.shape[1] - 1).set(at % 2 === 0 ? NaN : Infinity),
    );
    expectSame(everyLayout, args);
  });
});
