// Triangular systems, by substitution.
import { checked } from "../../core/checked.js";
import type { Array, ArrayLike } from "../../core/array.js";
import { fail } from "../../core/errors.js";
import { showType } from "../../core/type.js";
import { scan } from "../../lax/loops.js";
import { dynamicUpdateIndexInDim } from "../../lax/operators.js";
import { withRules } from "../../transforms/withRules.js";
import { arange, tril, zerosLike } from "../creation.js";
import { diagonal } from "../diagonals.js";
import { matmul } from "../products.js";
import { flip, swapaxes } from "../shaping.js";
import { asMatrices, checkSquare, overStacks } from "./matrices.js";

/** x with l·x = b for a lower triangular matrix, row by row from the top; what is above the diagonal is ignored. */
export function substitute(l: Array, b: Array, isUnit: boolean): Array {
  if (b.size === 0) return b;
  const below = tril(l, -1);
  const rows = { row: below, right: b, at: arange(b.shape[0]), ...(!isUnit && { pivot: diagonal(l) }) };
  return scan(
    (x: Array, { row, right, at, pivot }: { row: Array; right: Array; at: Array; pivot?: Array }) => {
      const rest = right.sub(matmul(row, x));
      return [dynamicUpdateIndexInDim(x, pivot === undefined ? rest : rest.div(pivot), at, 0), null];
    },
    zerosLike(b),
    rows,
  )[0];
}

/** An upper triangular system turned around is a lower one. */
export const substituteBack = (u: Array, b: Array, isUnit: boolean): Array =>
  flip(substitute(flip(u), flip(b, 0), isUnit), 0);

/** l·x = b with its derivative, and linear in b. */
const lowerSolve = (isUnit: boolean): ((l: Array, b: Array) => Array) => {
  const solve: (l: Array, b: Array) => Array = withRules<readonly [Array, Array], Array>(
    "np.linalg.triangularSolve",
    (l: Array, b: Array): Array => substitute(l, b, isUnit),
    {
      jvp: ([l, b], [dl, db]) => {
        const x = solve(l, b);
        const change = dl === null ? null : matmul(tril(dl, isUnit ? -1 : 0), x).neg();
        return [x, solve(l, db === null ? (change ?? zerosLike(b)) : change === null ? db : db.add(change))];
      },
      transpose: ([l], ct) => flip(solve(flip(l.T), flip(ct, 0)), 0),
    },
  );
  return solve;
};
const [solveUnit, solvePlain] = [lowerSolve(true), lowerSolve(false)];

/** Solves a·x = b for a triangular matrix; see `triangularSolve`. */
export function solveTriangle(a: Array, b: Array, lower: boolean, isUnit = false): Array {
  const solve = isUnit ? solveUnit : solvePlain;
  return lower ? solve(a, b) : flip(solve(flip(a), flip(b, 0)), 0);
}

export interface TriangularOptions {
  /** Whether to solve a·x = b instead of x·a = b. Default false. */
  readonly leftSide?: boolean;
  /** Whether a is lower triangular; the other half is ignored. Default false. */
  readonly lower?: boolean;
  /** Whether to take the transpose of a. Default false. */
  readonly transposeA?: boolean;
  /** Whether the diagonal counts as ones. Default false. */
  readonly unitDiagonal?: boolean;
}

/** x with a·x = b (`leftSide`) or x·a = b, for triangular matrices a in the last two axes. */
export const triangularSolve = checked(
  "np.linalg.triangularSolve",
  3,
  ["leftSide", "lower", "transposeA", "unitDiagonal"],
  (
    givenA: ArrayLike,
    givenB: ArrayLike,
    { leftSide = false, lower = false, transposeA = false, unitDiagonal = false }: TriangularOptions = {},
  ): Array => {
    const operation = "np.linalg.triangularSolve";
    const [a, b] = asMatrices(operation, givenA, givenB) as [Array, Array];
    checkSquare(operation, a);
    if (a.shape.at(-1) !== b.shape.at(leftSide ? -2 : -1)) {
      fail(
        operation,
        `the ${leftSide ? "rows" : "columns"} of b must match a, got ${showType(a.type)} and ${showType(b.type)}`,
      );
    }
    // x·a = b is aᵀ·xᵀ = bᵀ.
    const isTurned = transposeA === leftSide;
    const turn = (x: Array): Array => swapaxes(x, -1, -2);
    const solved = overStacks(
      operation,
      [isTurned ? turn(a) : a, leftSide ? b : turn(b)],
      (matrix: Array, right: Array) => solveTriangle(matrix, right, lower !== isTurned, unitDiagonal),
    );
    return leftSide ? solved : turn(solved);
  },
);
