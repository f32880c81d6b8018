// Determinants and their logarithms.
import { checked } from "../../core/checked.js";
import type { Array, ArrayLike } from "../../core/array.js";
import { withRules } from "../../transforms/withRules.js";
import { cumprod } from "../cumulative.js";
import { eye, zerosLike } from "../creation.js";
import { diagonal, trace } from "../diagonals.js";
import { isfinite, sign, where } from "../elementwise.js";
import { concatenate } from "../joining.js";
import { log } from "../realFunctions.js";
import { all, prod, sum } from "../reductions.js";
import { factorize, type Factors } from "./lu.js";
import { asMatrices, checkSquare, overStacks } from "./matrices.js";
import { solveMatrix } from "./solve.js";
import { substitute, substituteBack } from "./triangular.js";

/** 1 or -1: whether an even or an odd number of rows was exchanged. */
const parity = ({ exchanges, lu }: Factors): Array =>
  where(exchanges.mod(2).equal(0), 1, -1).astype(lu.dtype);

const determinant: (a: Array) => Array = withRules<readonly [Array], Array>(
  "np.linalg.det",
  (a: Array): Array => {
    const factors = factorize(a);
    return prod(diagonal(factors.lu)).mul(parity(factors));
  },
  {
    jvp: ([a], [da]) => [determinant(a), sum(cofactors(a).mul(da ?? zerosLike(a)))],
  },
);

/** The derivative of the determinant: det(a)·a⁻ᵀ, finite for singular matrices too if only the last pivot is zero. */
function cofactors(a: Array): Array {
  const [n] = a.shape as [number];
  if (n === 1) return where(a.equal(a), 1, a);
  const factors = factorize(a);
  const pivots = diagonal(factors.lu);
  const products = cumprod(pivots).mul(parity(factors));
  const [whole, others] = [products.slice(-1), products.slice(-2)];
  // det·U⁻¹ solves with the last pivot taken out of the determinant instead of divided by.
  const lu = factors.lu.at(-1, -1).set(where(others.equal(0), 1, others).pow(-1));
  const right = substitute(lu, eye(n, null, { dtype: a.dtype }).slice(factors.order), true);
  const scaled = concatenate([right.slice(":-1").mul(whole), right.slice("-1:")]);
  const adjugate = substituteBack(lu, scaled, false);
  // With another pivot of zero, or next to it, nothing is known; JAX gives zero.
  return where(all(isfinite(adjugate)).and(others.notEqual(0)), adjugate.T, 0);
}

const logDeterminant: (a: Array) => readonly [Array, Array] = withRules<
  readonly [Array],
  readonly [Array, Array]
>(
  "np.linalg.slogdet",
  (a: Array): readonly [Array, Array] => {
    const factors = factorize(a);
    const pivots = diagonal(factors.lu);
    return [prod(sign(pivots)).mul(parity(factors)), sum(log(pivots.abs()))];
  },
  {
    jvp: ([a], [da]) => {
      const [signs, logarithm] = logDeterminant(a);
      return [
        [signs, logarithm],
        [zerosLike(signs), trace(solveMatrix(a, da ?? zerosLike(a)))],
      ];
    },
  },
);

/** The determinant of the matrices in the last two axes. */
export const det = checked("np.linalg.det", 1, (given: ArrayLike): Array => {
  const [a] = asMatrices("np.linalg.det", given) as [Array];
  checkSquare("np.linalg.det", a);
  return overStacks("np.linalg.det", [a], determinant);
});

/** The sign of the determinant and the logarithm of its size: `[sign, logdet]`. */
export const slogdet = checked("np.linalg.slogdet", 1, (given: ArrayLike): [sign: Array, logdet: Array] => {
  const [a] = asMatrices("np.linalg.slogdet", given) as [Array];
  checkSquare("np.linalg.slogdet", a);
  return overStacks("np.linalg.slogdet", [a], logDeterminant) as [Array, Array];
});
