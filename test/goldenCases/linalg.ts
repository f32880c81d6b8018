// Linear algebra, values and derivatives; tools/golden/linalg.py has the same cases in JAX, by the same names.
import { grad, jvp, np, vmap, type Array } from "vibe-rl/array";
import { grid, weigh, type Cases } from "./grid.js";

const { linalg } = np;

export const linalgCases: Cases = new Map();
const add = (name: string, f: () => unknown): void => {
  linalgCases.set(name, f);
};

const A = grid([4, 4], 1);
const B = grid([4, 3], 2);
const v = grid([4], 3);
const W = grid([4, 4], 4);
const batch = grid([3, 4, 4], 5);
const tall = grid([5, 3], 6);
const wide = grid([3, 5], 7);
const half = np.eye(4).mul(0.5);
const S = A.matmul(A.T).add(half);
const SB = batch.matmul(np.swapaxes(batch, 1, 2)).add(half);
const L = np.tril(A).add(np.eye(4).mul(3));
const singular = A.at(3).set(A.slice(0).add(A.slice(1)));
const rank2 = np.outer(v, v).add(np.outer(A.slice(0), A.slice(0)));

// ---- values ---------------------------------------------------------------------------------------------

add("cholesky", () => linalg.cholesky(S));
add("cholesky upper", () => linalg.cholesky(S, { upper: true }));
add("cholesky batched", () => linalg.cholesky(SB));
add("cholesky of an asymmetric matrix", () => linalg.cholesky(S.add(np.triu(A, 1).mul(0.1))));
add("cholesky of an indefinite matrix", () => linalg.cholesky(A.add(A.T)));
add("solve", () => linalg.solve(A, B));
add("solve of a vector", () => linalg.solve(A, v));
add("solve batched", () => linalg.solve(batch, B));
add("solve batched both", () => linalg.solve(batch, batch));
add("inv", () => linalg.inv(A));
add("inv batched", () => linalg.inv(batch));
const squares: Record<string, Array> = {
  "4": A,
  "3": grid([3, 3], 8),
  "2": grid([2, 2], 9),
  "1": grid([1, 1], 10),
  batch,
  singular,
  "rank 2": rank2,
};
for (const [label, m] of Object.entries(squares)) {
  add(`det of ${label}`, () => linalg.det(m));
  add(`det' of ${label}`, () => grad((x: Array) => weigh(linalg.det(x)))(m));
  add(`slogdet of ${label}`, () => linalg.slogdet(m));
  add(`slogdet' of ${label}`, () => grad((x: Array) => linalg.slogdet(x)[1].sum())(m));
}
add("slogdet of zeros", () => linalg.slogdet(np.zeros([3, 3])));
const flags = [true, false];
for (const leftSide of flags)
  for (const lower of flags)
    for (const transposeA of flags)
      for (const unitDiagonal of flags) {
        const [m, b] = [lower ? L : L.T, leftSide ? B : B.T];
        const key = `triangularSolve ${leftSide} ${lower} ${transposeA} ${unitDiagonal}`;
        const f = (a: Array, c: Array): Array =>
          linalg.triangularSolve(a, c, { leftSide, lower, transposeA, unitDiagonal });
        add(key, () => f(m, b));
        add(`${key}'`, () =>
          grad((a: Array, c: Array) => np.square(f(a, c)).sum(), { argnums: [0, 1] })(m, b),
        );
      }
add("eigenvalues", () => linalg.eigvalsh(S));
add("eigenvalues of an asymmetric matrix", () => linalg.eigvalsh(A));
add("eigh reads the lower half", () => linalg.eigvalsh(A, { UPLO: "L", symmetrizeInput: false }));
add("eigh reads the upper half", () => linalg.eigvalsh(A, { UPLO: "U", symmetrizeInput: false }));
add("eigenvalues batched", () => linalg.eigvalsh(SB));
add("eigenvectors up to sign", () => linalg.eigh(S)[1].abs());
add("singular values", () => [A, tall, wide, batch, rank2].map((m) => linalg.svd(m, { computeUv: false })));
const reduced = { fullMatrices: false } as const;
add("svd up to sign", () =>
  [A, tall, wide].map((m) => {
    const [u, s, vt] = linalg.svd(m, reduced);
    return [u.abs(), s, vt.abs()];
  }),
);
add("svd shapes", () => [tall, wide].flatMap((m) => linalg.svd(m).map((x: Array) => np.int32([...x.shape]))));
add("pinv", () => [A, tall, wide, rank2].map((m) => linalg.pinv(m)));
add("matrixRank", () => [A, tall, wide, rank2, batch].map((m) => linalg.matrixRank(m)));
add("matrixPower", () => [0, 1, 2, 3, 5, -1, -2].map((n) => linalg.matrixPower(A, n)));
add("matrixPower batched", () => linalg.matrixPower(batch, 3));
add("qr batched", () => linalg.qr(batch));

// ---- derivatives ----------------------------------------------------------------------------------------

const weighed =
  (f: (x: Array) => Array) =>
  (x: Array): Array =>
    weigh(f(x));
const both = { argnums: [0, 1] } as const;
const solveLoss = (a: Array, b: Array): Array => weigh(linalg.solve(a, b));
const squaredVectors = (x: Array): Array => np.square(linalg.eigh(x)[1]);
add("cholesky'", () => grad(weighed(linalg.cholesky))(S));
add("cholesky jvp", () => jvp((x: Array) => linalg.cholesky(x), [S], [W])[1]);
add("cholesky''", () => jvp(grad(weighed(linalg.cholesky)), [S], [W])[1]);
add("cholesky' batched", () => vmap(grad(weighed(linalg.cholesky)))(SB));
add("solve'", () => grad(solveLoss, both)(A, B));
add("solve jvp", () => jvp((a: Array, b: Array) => linalg.solve(a, b), [A, B], [W, B.mul(2)])[1]);
add(
  "solve''",
  () =>
    jvp(
      grad((a: Array) => solveLoss(a, B)),
      [A],
      [W],
    )[1],
);
add("solve' of a vector", () => grad(solveLoss, both)(A, v));
add("solve' batched", () => grad(solveLoss, both)(batch, B));
add("inv'", () => grad(weighed(linalg.inv))(A));
add("inv' batched", () => vmap(grad(weighed(linalg.inv)))(batch));
add(
  "det''",
  () =>
    jvp(
      grad((x: Array) => linalg.det(x)),
      [A],
      [W],
    )[1],
);
add(
  "slogdet''",
  () =>
    jvp(
      grad((x: Array) => linalg.slogdet(x)[1]),
      [A],
      [W],
    )[1],
);
add("eigenvalues'", () => grad(weighed(linalg.eigvalsh))(S));
add("eigh'", () => grad(weighed(squaredVectors))(S));
add("eigh jvp", () => jvp((x: Array) => [linalg.eigh(x)[0], squaredVectors(x)], [S], [W])[1]);
add("eigh' batched", () => vmap(grad(weighed(squaredVectors)))(SB));
add("svd' values", () =>
  [A, tall, wide].map((m) => grad(weighed((x) => linalg.svd(x, { computeUv: false })))(m)),
);
const svdLoss = (x: Array): Array => {
  const [u, s, vt] = linalg.svd(x, reduced);
  return weigh(np.square(u))
    .add(weigh(s))
    .add(weigh(np.square(vt)));
};
add("svd'", () => [A, tall, wide].map((m) => grad(svdLoss)(m)));
add("pinv'", () => [A, tall, wide].map((m) => grad(weighed((x) => linalg.pinv(x)))(m)));
add("qr' batched", () =>
  vmap(
    grad((x: Array) => {
      const [q, r] = linalg.qr(x);
      return weigh(q).add(weigh(r));
    }),
  )(batch),
);
