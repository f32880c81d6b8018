// Programs of matrix products: shapes and layouts, sums over any axes, and what follows a product. Whole numbers make
// the sums exact.
import { lax, nn, np, type Array } from "vibe-rl/array";
import { wholeNumbers, type Case, type Computation } from "./compare.js";

export const left = (shape: readonly number[]) => wholeNumbers(shape, "float32", 1);
export const right = (shape: readonly number[]) => wholeNumbers(shape, "float32", 2);

/** A product with either operand as it is and transposed. */
export const everyLayout: Computation = (a, at, b, bt) => [
  a.matmul(b),
  at.T.matmul(b),
  a.matmul(bt.T),
  at.T.matmul(bt.T),
];

export const matrices = (rows: number, depth: number, columns: number): Case => ({
  name: `${rows} × ${depth} × ${columns}`,
  f: everyLayout,
  args: [left([rows, depth]), left([depth, rows]), right([depth, columns]), right([columns, depth])],
});

/** Extents of the letters of an einsum. */
const extents: readonly Record<string, number>[] = [
  { a: 3, b: 2, c: 5, d: 4, e: 7, i: 3, j: 5, k: 7, l: 2 },
  { a: 1, b: 3, c: 1, d: 9, e: 2, i: 17, j: 1, k: 4, l: 3 },
  { a: 4, b: 1, c: 20, d: 2, e: 18, i: 1, j: 20, k: 17, l: 8 },
];

export const einsums = [
  ...["ij,jk->ik", "ij,kj->ik", "ji,jk->ki", "ij,j->i", "ij,i->j", "i,ij->j", "i,i->", "i,j->ij", "i,j->ji"],
  ...[
    "bij,bjk->bik",
    "bij,bkj->bik",
    "bji,bjk->bik",
    "bij,bjk->kbi",
    "bij,jk->bik",
    "ij,bjk->bik",
    "ij,bjk->kib",
  ],
  ...[
    "bi,bi->b",
    "bi,bj->bij",
    "bi,bij->bj",
    "bij,bij->",
    "bij,bij->i",
    "ijk,kl->ijl",
    "ijk,jil->kl",
    "ijk,ikl->jl",
  ],
  ...[
    "abij,abjk->abik",
    "abij,bajk->abik",
    "baij,bakj->baik",
    "abcd,cde->abe",
    "abcd,aecd->be",
    "abc,cd,de->abe",
  ],
  ...["ii->i", "ij->ji", "ijk->k", "ij,ij->ij", "iij,jk->ik"],
];

/** A sum of products of operands of several shapes. */
export const einsumCases = (formula: string): Case[] =>
  extents.map((of) => ({
    name: `${formula} ${JSON.stringify(of)}`,
    f: (...args) => np.einsum(formula, ...args),
    args: formula
      .split("->")[0]
      .split(",")
      .map((letters, at) =>
        wholeNumbers(
          [...letters].map((letter) => of[letter]),
          "float32",
          at + 1,
        ),
      ),
  }));

/** x, weights, a bias, and an array of the product's shape. */
export type Epilogue = (x: Array, w: Array, b: Array, r: Array) => unknown;
export const epilogues: Record<string, Epilogue> = {
  "a bias and relu": (x, w, b) => nn.relu(x.matmul(w).add(b)),
  "a bias for every row": (x, w, _, r) => x.matmul(w).add(r.slice(":", ":1")),
  "a scalar": (x, w, b) => x.matmul(w).mul(b.slice(0)).sub(b.sum()),
  "a residual": (x, w, _, r) => x.matmul(w).add(r).mul(r),
  "a transposed residual": (x, w, _, r) => x.matmul(w).add(r.reshape([r.shape[1], r.shape[0]]).T),
  "a flipped residual": (x, w, _, r) => x.matmul(w).add(np.flip(r)),
  "a mask": (x, w, _, r) => np.where(r.greater(0), x.matmul(w), 0),
  "a mask that is stored": (x, w, _, r) => {
    const mask = r.greater(0);
    return [np.where(mask, x.matmul(w), 0), mask];
  },
  "several outputs": (x, w, b) => {
    const y = x.matmul(w);
    return [y, nn.relu(y.add(b)), y.greater(0), y.astype("int32"), y.neg()];
  },
  "its sign and comparisons": (x, w, _, r) => [
    np.sign(x.matmul(w)),
    x.matmul(w).less(r),
    x.matmul(w).astype("uint8"),
  ],
  "division and square roots": (x, w, b) => np.sqrt(x.matmul(w).abs()).div(b.abs().add(2)),
  "a transpose": (x, w, b) => [x.matmul(w).T, x.matmul(w).add(b).T.reshape([-1])],
  "a reshape": (x, w, b) => x.matmul(w).reshape([-1]).mul(2).add(b.sum()),
  "sums over each axis": (x, w) => [x.matmul(w).sum(), x.matmul(w).sum(0), x.matmul(w).max(1)],
  "a slice": (x, w) => x.matmul(w).slice(":1", "::2").mul(3),
  "a flip": (x, w) => np.flip(x.matmul(w)).add(1),
  positions: (x, w, b) => x.matmul(w).add(np.arange(b.size)),
  "a concatenation": (x, w, _, r) => np.concatenate([x.matmul(w), r]),
  "a concatenation of what is computed": (x, w, b, r) =>
    np.concatenate([
      x.matmul(w).add(np.arange(b.size)),
      np.exp(r.mul(0)),
      np.pad(x.matmul(w), [
        [1, 0],
        [0, 0],
      ]),
    ]),
  padding: (x, w) => np.pad(x.matmul(w), 2, { constantValues: 3 }),
  "a look-up": (x, w, b) => b.slice(x.matmul(w).astype("int32").mod(b.size)),
  "a scatter": (x, w, b) => np.zerosLike(b).at(x.matmul(w).astype("int32").slice(0).mod(b.size)).add(1),
  "another product": (x, w) => x.matmul(w).matmul(w.T).matmul(w),
  "a product with itself": (x, w) => x.matmul(w).T.matmul(x.matmul(w)),
  "two products of one operand": (x, w, b) => x.matmul(w).add(x.mul(2).matmul(w)).add(b),
  "its own operand": (x, w) => [x.add(x.matmul(w).matmul(w.T)), x],
  "a short reduction": (x, w, b, r) => x.matmul(w).add(np.stack([r, r.mul(2), b.add(r)]).sum(0)),
  "a value at a computed place": (x, w, b) =>
    x.matmul(w).add(lax.dynamicSlice(np.concatenate([b, b]), [b.slice(0).astype("int32")], [b.size])),
};
export const epilogueSizes: readonly [rows: number, depth: number, columns: number][] = [
  [5, 7, 9],
  [1, 20, 1],
  [17, 33, 2],
  [3, 17, 1],
  [16, 8, 12],
  [1, 3, 10],
  [11, 1, 5],
  [10, 4, 130],
];
export const epilogueArguments = (
  rows: number,
  depth: number,
  columns: number,
): [Array, Array, Array, Array] => [
  left([rows, depth]),
  right([depth, columns]),
  wholeNumbers([columns], "float32", 3),
  wholeNumbers([rows, columns], "float32", 4),
];
