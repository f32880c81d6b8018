// The singular value decomposition, and what is made of it.
import { checked } from "../../core/checked.js";
import type { Array, ArrayLike } from "../../core/array.js";
import { fail } from "../../core/errors.js";
import { withRules } from "../../transforms/withRules.js";
import { eye, zerosLike } from "../creation.js";
import { diagonal } from "../diagonals.js";
import { isfinite, where } from "../elementwise.js";
import { matmul } from "../products.js";
import { qr } from "../qr.js";
import { sqrt } from "../realFunctions.js";
import { max, sum } from "../reductions.js";
import { pad } from "../padding.js";
import { swapaxes } from "../shaping.js";
import { rotationFor } from "../singularValues.js";
import { argsort } from "../sorting.js";
import { asMatrices, overStacks } from "./matrices.js";

type Parts = readonly [u: Array, s: Array, vt: Array];

/** U, the singular values and Vᵀ of a matrix with at least as many rows as columns; U square if `isFull`. */
function decompose(x: Array, isFull: boolean): Parts {
  const [rows, columns] = x.shape as [number, number];
  if (columns === 0) return [eye(rows, isFull ? null : 0, { dtype: x.dtype }), x.reshape([0]), zeroSquare(x)];
  const largest = max(x.abs());
  const scale = where(largest.greater(0).and(isfinite(largest)), largest, 1);
  const even = pad(x.div(scale), [
    [0, 0],
    [0, columns % 2],
  ]);
  const rotation = rotationFor(even).slice(`:${columns}`, `:${columns}`);
  const turned = matmul(x.div(scale), rotation);
  const lengths = sqrt(sum(turned.mul(turned), 0));
  const order = argsort(lengths, -1, { descending: true });
  const s = lengths.slice(order).mul(scale);
  // The columns are orthogonal, so that Q has their directions, and others where they have none.
  const [q, r] = qr(turned.slice(":", order), { mode: isFull ? "complete" : "reduced" });
  const signs = where(diagonal(r).less(0), -1, 1).astype(x.dtype);
  const u = q.mul(isFull ? pad(signs, [[0, rows - columns]], { constantValues: 1 }) : signs);
  return [u, s, rotation.slice(":", order).T];
}

const zeroSquare = (x: Array): Array => x.reshape(-1).reshape([0, 0]);

/** U, the singular values and Vᵀ. */
function anyShape(x: Array, isFull: boolean): Parts {
  const [rows, columns] = x.shape as [number, number];
  if (rows >= columns) return decompose(x, isFull);
  const [u, s, vt] = decompose(x.T, isFull);
  return [vt.T, s, u.T];
}

/** The reduced decomposition, with its derivative (Townsend 2016). */
const reduced: (x: Array) => Parts = withRules<readonly [Array], Parts>(
  "np.linalg.svd",
  (x) => anyShape(x, false),
  {
    jvp: ([x], [dx]) => {
      const [u, s, vt] = reduced(x);
      const [rows, columns] = x.shape as [number, number];
      const direction = dx ?? zerosLike(x);
      const v = vt.T;
      const identity = eye(s.size, null, { dtype: x.dtype });
      const [across, down] = [s.reshape([1, -1]), s.reshape([-1, 1])];
      const inside = matmul(u.T, matmul(direction, v));
      const weights = across.add(down).mul(across.sub(down)).add(identity).pow(-1).sub(identity);
      const [right, left] = [inside.mul(across), inside.mul(down)];
      const outside = (own: Array, moved: Array): Array =>
        moved.sub(matmul(own, matmul(own.T, moved))).div(across);
      let du = matmul(u, weights.mul(right.add(right.T)));
      let dv = matmul(v, weights.mul(left.add(left.T)));
      if (rows > columns) du = du.add(outside(u, matmul(direction, v)));
      if (columns > rows) dv = dv.add(outside(v, matmul(direction.T, u)));
      return [
        [u, s, vt],
        [du, diagonal(inside), dv.T],
      ];
    },
  },
);

/** The decomposition with square U and V, which has no derivative where the matrix is not square. */
const full = withRules<readonly [Array], Parts>("np.linalg.svd", (x) => anyShape(x, true), {
  jvp: () =>
    fail(
      "np.linalg.svd",
      "with fullMatrices it has no derivative, since the further columns can be any; use { fullMatrices: false }",
    ),
});

export interface SvdOptions {
  /** Whether U and V are square, with more columns than there are singular values. Default true. */
  readonly fullMatrices?: boolean;
  /** Whether to compute U and V at all. Default true. */
  readonly computeUv?: boolean;
}

interface Svd {
  (x: ArrayLike, options: SvdOptions & { readonly computeUv: false }): Array;
  (x: ArrayLike, options?: SvdOptions): [u: Array, s: Array, vt: Array];
}

/**
 * `[u, s, vt]` with u · diag(s) · vt the matrices in the last two axes, s in falling order; with `computeUv` false
 * only s.
 */
export const svd: Svd = checked(
  "np.linalg.svd",
  2,
  ["fullMatrices", "computeUv"],
  (given: ArrayLike, { fullMatrices = true, computeUv = true }: SvdOptions = {}): never => {
    const [x] = asMatrices("np.linalg.svd", given) as [Array];
    const isSquare = x.shape.at(-1) === x.shape.at(-2);
    const decomposition = computeUv && fullMatrices && !isSquare ? full : reduced;
    const parts = overStacks("np.linalg.svd", [x], decomposition);
    return (computeUv ? parts : parts[1]) as never;
  },
);

/** How far 1 is from the next number. */
const epsilon = ({ dtype }: Array): number => (dtype === "float64" ? 2 ** -52 : 2 ** -23);

/** The rank: how many singular values are larger than `rtol` times the largest, by default what rounding makes. */
export const matrixRank = checked(
  "np.linalg.matrixRank",
  2,
  ["rtol"],
  (given: ArrayLike, { rtol }: { readonly rtol?: number } = {}): Array => {
    const [x] = asMatrices("np.linalg.matrixRank", given) as [Array];
    const s = svd(x, { computeUv: false });
    const least = rtol ?? Math.max(...x.shape.slice(-2)) * epsilon(x);
    return sum(s.greater(max(s, -1, { keepdims: true, initial: 0 }).mul(least)).astype("int32"), -1);
  },
);

const pseudoinverse = (cutoff: number): ((x: Array) => Array) => {
  const inverse: (x: Array) => Array = withRules<readonly [Array], Array>(
    "np.linalg.pinv",
    (x) => {
      const [u, s, vt] = anyShape(x, false);
      const isLarge = s.greater(max(s, 0, { initial: 0 }).mul(cutoff));
      const weights = where(isLarge, where(isLarge, s, 1).pow(-1), 0);
      return matmul(vt.T, weights.reshape([-1, 1]).mul(u.T));
    },
    {
      // Golub & Pereyra 1973.
      jvp: ([x], [dx]) => {
        const p = inverse(x);
        const direction = dx ?? zerosLike(x);
        const [rows, columns] = x.shape as [number, number];
        const inside = matmul(p, matmul(direction, p));
        const left = matmul(
          matmul(p, p.T),
          matmul(direction.T, eye(rows, null, { dtype: x.dtype }).sub(matmul(x, p))),
        );
        const right = matmul(
          matmul(eye(columns, null, { dtype: x.dtype }).sub(matmul(p, x)), direction.T),
          matmul(p.T, p),
        );
        return [p, left.add(right).sub(inside)];
      },
    },
  );
  return inverse;
};

/** The pseudoinverse; singular values below `rtol` times the largest count as zero. */
export const pinv = checked(
  "np.linalg.pinv",
  2,
  ["rtol"],
  (given: ArrayLike, { rtol }: { readonly rtol?: number } = {}): Array => {
    const [x] = asMatrices("np.linalg.pinv", given) as [Array];
    if (x.size === 0) return swapaxes(x, -1, -2);
    const cutoff = rtol ?? 10 * Math.max(...x.shape.slice(-2)) * epsilon(x);
    return overStacks("np.linalg.pinv", [x], pseudoinverse(cutoff));
  },
);
