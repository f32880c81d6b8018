// Singular values by one-sided Jacobi rotations (Hestenes 1958): pairs of columns are turned against each
// other until all are orthogonal; their lengths are the singular values.
import type { Array } from "../core/array.js";
import { foriLoop, map, whileLoop } from "../lax/loops.js";
import { rsqrt, stopGradient } from "../lax/operators.js";
import { eye, zeros } from "./creation.js";
import { isfinite, where } from "./elementwise.js";
import { slice } from "./indexing.js";
import { concatenate } from "./joining.js";
import { matmul } from "./products.js";
import { hypot, sqrt } from "./realFunctions.js";
import { any, max, sum } from "./reductions.js";
import { swapaxes } from "./shaping.js";

// Random, graded, clustered and rank-deficient matrices up to 100 × 100 were measured to need 18 at most.
export const mostSweeps = 24;

/** The singular values of the matrices in the last two axes, in no particular order. */
export function singularValues(x: Array): Array {
  const [rows, columns] = x.shape.slice(-2) as [number, number];
  if (rows < columns) return singularValues(swapaxes(x, -1, -2));
  if (x.ndim === 2) return columns === 0 ? sum(x, 0) : lengthsOfColumns(x);
  const batch = x.shape.slice(0, -2);
  return map(singularValues, x.reshape([-1, rows, columns])).reshape([...batch, columns]);
}

function lengthsOfColumns(x: Array): Array {
  // Squares of the largest element must not overflow.
  const largest = stopGradient(max(x.abs()));
  const scale = where(largest.greater(0).and(isfinite(largest)), largest, 1);
  const columns = x.shape[1];
  const pairs = Math.ceil(columns / 2);
  const even = concatenate([x.div(scale), zeros([x.shape[0], 2 * pairs - columns], { dtype: x.dtype })], 1);
  const turned = matmul(even, rotationFor(stopGradient(even)));
  // The rotation was found without derivatives, which takes as many sweeps as it needs. Two more with
  // derivatives change nothing but those: each sweep doubles their order, as it squares what is left to turn.
  const rounds = 2 * (2 * pairs - 1);
  const orthogonal = foriLoop(
    0,
    rounds,
    (_, matrix: Array) => turnPairs(matrix, even.shape[0]).matrix,
    turned,
  );
  return rootOf(sum(orthogonal.mul(orthogonal), 0))
    .slice(`:${columns}`)
    .mul(scale);
}

/** A rotation that makes the columns of a matrix, an even number of them, orthogonal. */
export function rotationFor(x: Array): Array {
  const [rows, columns] = x.shape as [number, number];
  const { matrix } = whileLoop(
    ({ sweep, isTurning }) => isTurning.and(sweep.less(mostSweeps)),
    ({ sweep, matrix: before }) => ({
      sweep: sweep.add(1),
      // Every column meets every other once, and they end in the places they started from.
      ...foriLoop(
        0,
        columns - 1,
        (_, last: Turned) => {
          const next = turnPairs(last.matrix, rows);
          return { matrix: next.matrix, isTurning: next.isTurning.or(last.isTurning) };
        },
        { matrix: before, isTurning: sweep.less(0) },
      ),
    }),
    // What turns the columns of x turns those of the identity below it into the rotation itself.
    {
      sweep: zeros([], { dtype: "int32" }),
      matrix: concatenate([x, eye(columns, null, { dtype: x.dtype })]),
      isTurning: zeros([], { dtype: "bool" }).not(),
    },
  );
  const rotation = slice(matrix, `${rows}:`);
  // Rounding errors of many turns add up; Newton's step R(3 − RᵀR) / 2 takes them away.
  const excess = matmul(rotation, matmul(rotation.T, rotation));
  return rotation.mul(1.5).sub(excess.mul(0.5));
}

interface Turned {
  readonly matrix: Array;
  /** Whether any pair was not orthogonal to within rounding. */
  readonly isTurning: Array;
}

/** Turns the first half of the columns against the second so that they are orthogonal, then forms new pairs. */
function turnPairs(matrix: Array, rows: number): Turned {
  const half = matrix.shape[1] / 2;
  const [p, q] = [slice(matrix, ":", `:${half}`), slice(matrix, ":", `${half}:`)];
  const inner = (a: Array, b: Array): Array => sum(slice(a.mul(b), `:${rows}`), 0);
  const [pp, qq, twice] = [inner(p, p), inner(q, q), inner(p, q).mul(2)];
  const difference = qq.sub(pp);
  const root = hypot(difference, twice);
  const isOrthogonal = twice.abs().lessEqual(
    sqrt(stopGradient(pp))
      .mul(sqrt(stopGradient(qq)))
      .mul(rounding(p)),
  );
  // The smaller root of t² + 2ζt = 1 with ζ = (|q|² − |p|²) / 2p·q (Golub & Van Loan).
  const denominator = where(root.greater(0), difference.abs().add(root), 1);
  const wanted = where(difference.less(0), twice.neg(), twice).div(denominator);
  // Orthogonal pairs stay exactly as they are, but the turn keeps its derivative.
  const tangent = where(isOrthogonal, wanted.sub(stopGradient(wanted)), wanted);
  const cosine = rsqrt(tangent.mul(tangent).add(1));
  const sine = tangent.mul(cosine);
  return {
    matrix: nextPairs(p.mul(cosine).sub(q.mul(sine)), p.mul(sine).add(q.mul(cosine))),
    isTurning: any(isOrthogonal.not()),
  };
}

/** Twice the distance between 1 and the next number of a dtype, a few times over. */
export const rounding = ({ dtype }: Array): number => (dtype === "float64" ? 2 ** -50 : 2 ** -21);

/** As players of a round-robin tournament: the first stays, the others move on by one seat. */
export const nextPairs = (p: Array, q: Array): Array =>
  concatenate(
    p.shape[1] === 1
      ? [p, q]
      : [
          slice(p, ":", ":1"),
          slice(q, ":", ":1"),
          slice(p, ":", "1:-1"),
          slice(q, ":", "1:"),
          slice(p, ":", "-1:"),
        ],
    1,
  );

/** The square root, with a derivative of zero at zero. */
function rootOf(x: Array): Array {
  const isPositive = x.greater(0);
  return where(isPositive, sqrt(where(isPositive, x, 1)), x);
}
