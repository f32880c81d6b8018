// Systems of linear equations, inverses and powers.
import { checked } from "../../core/checked.js";
import type { Array, ArrayLike } from "../../core/array.js";
import { fail } from "../../core/errors.js";
import { stopGradient } from "../../lax/operators.js";
import { showType } from "../../core/type.js";
import { asArray, promoteToFloat } from "../../core/coerce.js";
import { checkWhole } from "../../core/rules.js";
import { withRules } from "../../transforms/withRules.js";
import { eye, zerosLike } from "../creation.js";
import { matmul } from "../products.js";
import { broadcastTo, expandDims, squeeze } from "../shaping.js";
import { factorize, solveFactored } from "./lu.js";
import { asMatrices, checkSquare, overStacks } from "./matrices.js";

type Solve = (a: Array, lu: Array, order: Array, b: Array) => Array;

/**
 * a·x = b, or aᵀ·x = b, given the factors of a too. Derivatives go through a and b; the factors are found without,
 * once for the way there and back.
 */
const solver = (isTransposed: boolean, other: () => Solve): Solve => {
  const solve: Solve = withRules<Parameters<Solve>, Array>(
    "np.linalg.solve",
    (_a: Array, lu: Array, order: Array, b: Array): Array => solveFactored(lu, order, b, isTransposed),
    {
      jvp: ([a, lu, order, b], [da, , , db]) => {
        const x = solve(a, lu, order, b);
        const change = da === null ? null : matmul(isTransposed ? da.T : da, x).neg();
        const right = db === null ? (change ?? zerosLike(b)) : change === null ? db : db.add(change);
        return [x, solve(a, lu, order, right)];
      },
      transpose: ([a, lu, order], ct) => other()(a, lu, order, ct),
    },
  );
  return solve;
};
const solveForward: Solve = solver(false, () => solveBackward);
const solveBackward: Solve = solver(true, () => solveForward);

/** a·x = b for one matrix each. */
export function solveMatrix(a: Array, b: Array): Array {
  const { lu, order } = factorize(stopGradient(a));
  return solveForward(a, lu, order, b);
}

/** x with a·x = b, for matrices a in the last two axes; b is a vector or a stack of matrices. */
export const solve = checked("np.linalg.solve", 2, (givenA: ArrayLike, givenB: ArrayLike): Array => {
  const [a, b] = promoteToFloat("np.linalg.solve", [givenA, givenB]) as [Array, Array];
  asMatrices("np.linalg.solve", a);
  checkSquare("np.linalg.solve", a);
  if (b.ndim === 0) fail("np.linalg.solve", "the right side must be a vector or matrices, got a scalar");
  const right = b.ndim === 1 ? expandDims(b, 1) : b;
  if (right.shape.at(-2) !== a.shape.at(-1)) {
    fail("np.linalg.solve", `the rows of b must match a, got ${showType(a.type)} and ${showType(b.type)}`);
  }
  const x = overStacks("np.linalg.solve", [a, right], solveMatrix);
  return b.ndim === 1 ? squeeze(x, -1) : x;
});

/** The inverse of the matrices in the last two axes. */
export const inv = checked("np.linalg.inv", 1, (given: ArrayLike): Array => {
  const [a] = asMatrices("np.linalg.inv", given) as [Array];
  checkSquare("np.linalg.inv", a);
  const identity = eye(a.shape.at(-1) ?? 0, null, { dtype: a.dtype });
  return overStacks("np.linalg.inv", [a], (matrix) => solveMatrix(matrix, identity));
});

/** A whole power of square matrices; of the inverse where it is negative. */
export const matrixPower = checked("np.linalg.matrixPower", 2, (given: ArrayLike, n: number): Array => {
  checkWhole("np.linalg.matrixPower", "n", n);
  const a = asArray("np.linalg.matrixPower", given);
  if (a.ndim < 2) fail("np.linalg.matrixPower", `needs a matrix, got ${showType(a.type)}`);
  checkSquare("np.linalg.matrixPower", a);
  if (n === 0) return broadcastTo(eye(a.shape.at(-1) ?? 0, null, { dtype: a.dtype }), a.shape);
  let square = n < 0 ? inv(a) : a;
  let result: Array | null = null;
  for (let rest = Math.abs(n); rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = result === null ? square : matmul(result, square);
    if (rest > 1) square = matmul(square, square);
  }
  return result ?? square;
});
