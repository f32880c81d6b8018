// The Cholesky decomposition.
import { checked } from "../../core/checked.js";
import type { Array, ArrayLike } from "../../core/array.js";
import { scan } from "../../lax/loops.js";
import { dynamicUpdateIndexInDim } from "../../lax/operators.js";
import { withRules } from "../../transforms/withRules.js";
import { arange, eye, ones, tril, zerosLike } from "../creation.js";
import { where } from "../elementwise.js";
import { matmul } from "../products.js";
import { sqrt } from "../realFunctions.js";
import { all } from "../reductions.js";
import { swapaxes } from "../shaping.js";
import { asMatrices, checkSquare, overStacks } from "./matrices.js";
import { solveTriangle } from "./triangular.js";

/** L with L·Lᵀ = a, one column after the other; NaN where a is not positive definite. */
const lowerFactor: (a: Array) => Array = withRules<readonly [Array], Array>(
  "np.linalg.cholesky",
  (a: Array): Array => {
    const [n] = a.shape as [number];
    if (n === 0) return a;
    const column = arange(n);
    // The columns of L are kept as rows, so that an iteration writes one row.
    const [rows, isPositive] = scan(
      (u: Array, { row, at }: { row: Array; at: Array }) => {
        const rest = row.sub(matmul(u.slice(":", at), u));
        const pivot = rest.slice(at);
        const next = where(column.greaterEqual(at), rest.div(sqrt(pivot)), 0);
        return [dynamicUpdateIndexInDim(u, next, at, 0), pivot.greater(0)];
      },
      zerosLike(a),
      { row: a, at: column },
    );
    const isLower = tril(ones([n, n], { dtype: "bool" }));
    return where(all(isPositive), rows.T, where(isLower, NaN, 0));
  },
  {
    jvp: ([a], [da]) => {
      const l = lowerFactor(a);
      const direction = da ?? zerosLike(a);
      // dL = L·Φ(L⁻¹·dA·L⁻ᵀ), Φ taking the lower half and half the diagonal (Murray 2016).
      const half = solveTriangle(l, solveTriangle(l, direction, true).T, true);
      const n = a.shape[0];
      return [l, matmul(l, tril(half.T).div(eye(n, null, { dtype: a.dtype }).add(1)))];
    },
  },
);

/**
 * The lower triangular L with L·Lᵀ = x, or with `upper` its transpose. Of x the symmetric part is taken, unless
 * `symmetrizeInput` is false: then the lower half. NaN if x is not positive definite.
 */
export const cholesky = checked(
  "np.linalg.cholesky",
  2,
  ["upper", "symmetrizeInput"],
  (
    given: ArrayLike,
    {
      upper = false,
      symmetrizeInput = true,
    }: { readonly upper?: boolean; readonly symmetrizeInput?: boolean } = {},
  ): Array => {
    const [x] = asMatrices("np.linalg.cholesky", given) as [Array];
    checkSquare("np.linalg.cholesky", x);
    const whole = symmetrizeInput ? symmetricPart(x) : fromLower(x);
    const l = overStacks("np.linalg.cholesky", [whole], lowerFactor);
    return upper ? swapaxes(l, -1, -2) : l;
  },
);

/** (x + xᵀ) / 2. */
export const symmetricPart = (x: Array): Array => x.add(swapaxes(x, -1, -2)).div(2);

/** The symmetric matrix with the lower half of x. */
export const fromLower = (x: Array): Array => tril(x).add(swapaxes(tril(x, -1), -1, -2));
