// Eigenvalues and eigenvectors of symmetric matrices, by Jacobi rotations (Golub & Van Loan, 8.5).
import { checked } from "../../core/checked.js";
import type { Array, ArrayLike } from "../../core/array.js";
import { checkChoice } from "../../core/rules.js";
import { foriLoop, whileLoop } from "../../lax/loops.js";
import { rsqrt } from "../../lax/operators.js";
import { withRules } from "../../transforms/withRules.js";
import { eye, zeros, zerosLike } from "../creation.js";
import { diagonal } from "../diagonals.js";
import { maximum, where } from "../elementwise.js";
import { concatenate } from "../joining.js";
import { matmul } from "../products.js";
import { hypot } from "../realFunctions.js";
import { any, max, sum } from "../reductions.js";
import { pad } from "../padding.js";
import { swapaxes } from "../shaping.js";
import { mostSweeps, nextPairs, rounding } from "../singularValues.js";
import { argsort } from "../sorting.js";
import { fromLower, symmetricPart } from "./cholesky.js";
import { asMatrices, checkSquare, overStacks } from "./matrices.js";

interface Rotated {
  /** The matrix as it is turned, and below it the rotation so far. */
  readonly matrix: Array;
  readonly isTurning: Array;
}

/** Turns each axis of the first half against one of the second so that their element vanishes, then pairs anew. */
function turnAxes({ matrix, isTurning }: Rotated): Rotated {
  const [, n] = matrix.shape as [number, number];
  const half = n / 2;
  const onDiagonal = (block: Array): Array => sum(block.mul(eye(half, null, { dtype: matrix.dtype })), 0);
  const [first, second] = [`:${half}`, `${half}:${n}`];
  const pp = onDiagonal(matrix.slice(first, first));
  const qq = onDiagonal(matrix.slice(second, second));
  const twice = onDiagonal(matrix.slice(first, second)).mul(2);
  const difference = qq.sub(pp);
  const root = hypot(difference, twice);
  // The smaller root of t² + 2ζt = 1 with ζ = (q − p) / 2·element.
  const denominator = where(root.greater(0), difference.abs().add(root), 1);
  const largest = maximum(max(pp.abs()), max(qq.abs()));
  const isNegligible = twice.abs().lessEqual(largest.mul(rounding(matrix)));
  const tangent = where(difference.less(0), twice.neg(), twice).div(denominator);
  const cosine = rsqrt(tangent.mul(tangent).add(1));
  const sine = tangent.mul(cosine);
  const turnColumns = (x: Array): Array => {
    const [p, q] = [x.slice(":", first), x.slice(":", second)];
    return nextPairs(p.mul(cosine).sub(q.mul(sine)), p.mul(sine).add(q.mul(cosine)));
  };
  const turned = turnColumns(matrix);
  const square = turnColumns(turned.slice(`:${n}`).T).T;
  return {
    matrix: concatenate([square, turned.slice(`${n}:`)]),
    isTurning: isTurning.or(any(isNegligible.not())),
  };
}

/** Eigenvalues in rising order and their eigenvectors as columns. */
function diagonalize(a: Array): readonly [Array, Array] {
  const [n] = a.shape as [number];
  const even = n + (n % 2);
  // An axis more than there are has zeros only and is never turned.
  const whole =
    even === n
      ? a
      : pad(a, [
          [0, 1],
          [0, 1],
        ]);
  const { matrix } = whileLoop(
    ({ sweep, state }) => state.isTurning.and(sweep.less(mostSweeps)),
    ({ sweep, state }) => ({
      sweep: sweep.add(1),
      state: foriLoop(0, even - 1, (_, last: Rotated) => turnAxes(last), {
        matrix: state.matrix,
        isTurning: sweep.less(0),
      }),
    }),
    {
      sweep: zeros([], { dtype: "int32" }),
      state: {
        matrix: concatenate([whole, eye(even, null, { dtype: a.dtype })]),
        isTurning: zeros([], { dtype: "bool" }).not(),
      },
    },
  ).state;
  const turned = matrix.slice(`${even}:${even + n}`, `:${n}`);
  // Rounding errors of many turns add up; Newton's step V(3 − VᵀV) / 2 takes them away.
  const vectors = turned.mul(1.5).sub(matmul(turned, matmul(turned.T, turned)).mul(0.5));
  const values = sum(vectors.mul(matmul(a, vectors)), 0).div(sum(vectors.mul(vectors), 0));
  const order = argsort(values);
  return [values.slice(order), vectors.slice(":", order)];
}

const eigen: (a: Array) => readonly [Array, Array] = withRules<readonly [Array], readonly [Array, Array]>(
  "np.linalg.eigh",
  (a) => (a.shape[0] === 0 ? [a.reshape([0]), a] : diagonalize(a)),
  {
    jvp: ([a], [da]) => {
      const [w, v] = eigen(a);
      const identity = eye(w.size, null, { dtype: a.dtype });
      const inside = matmul(v.T, matmul(da ?? zerosLike(a), v));
      const gaps = identity.add(w.reshape([1, -1])).sub(w.reshape([-1, 1]));
      const weights = gaps.pow(-1).sub(identity);
      return [
        [w, v],
        [diagonal(inside), matmul(v, weights.mul(inside))],
      ];
    },
  },
);

export interface EighOptions {
  /** Which half of the matrix is read where it is not made symmetric: "L" or "U". Default "L". */
  readonly UPLO?: "L" | "U";
  /** Whether to take the symmetric part of the matrix first. Default true. */
  readonly symmetrizeInput?: boolean;
}

/** The eigenvalues of symmetric matrices in rising order, and eigenvectors as columns: `[w, v]`. */
export const eigh = checked(
  "np.linalg.eigh",
  2,
  ["UPLO", "symmetrizeInput"],
  (given: ArrayLike, { UPLO = "L", symmetrizeInput = true }: EighOptions = {}): [w: Array, v: Array] => {
    checkChoice("np.linalg.eigh", "UPLO", UPLO, ["L", "U"]);
    const [a] = asMatrices("np.linalg.eigh", given) as [Array];
    checkSquare("np.linalg.eigh", a);
    const half = UPLO === "L" ? a : swapaxes(a, -1, -2);
    const whole = symmetrizeInput ? symmetricPart(a) : fromLower(half);
    return overStacks("np.linalg.eigh", [whole], eigen) as [Array, Array];
  },
);

/** The eigenvalues of symmetric matrices in rising order. */
export const eigvalsh = checked(
  "np.linalg.eigvalsh",
  2,
  ["UPLO", "symmetrizeInput"],
  (given: ArrayLike, options: EighOptions = {}): Array => eigh(given, options)[0],
);
