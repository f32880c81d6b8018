// Weighted means, covariances and correlations.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asFloat, broadcastTo, promoteToFloat } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import type { KeepDims } from "../core/methods.js";
import { normalizeAxes, sameShape, type Axes } from "../core/shape.js";
import { showType } from "../core/type.js";
import { diagonal } from "./diagonals.js";
import { clip } from "./elementwise.js";
import { concatenate } from "./joining.js";
import { matmul } from "./products.js";
import { sqrt } from "./realFunctions.js";
import { mean, sum } from "./reductions.js";
import { expandDims } from "./shaping.js";

interface Average {
  (
    x: ArrayLike,
    axis?: Axes,
    weights?: Array | null,
    options?: KeepDims & { readonly returned?: false },
  ): Array;
  (
    x: ArrayLike,
    axis: Axes | undefined,
    weights: Array | null | undefined,
    options: KeepDims & {
      /** Whether the sum of the weights comes along. Default false. */
      readonly returned?: boolean;
    },
  ): [average: Array, sumOfWeights: Array];
}

const averageOf = (
  x: ArrayLike,
  axis?: Axes,
  weights: Array | null = null,
  { keepdims = false, returned = false }: KeepDims & { readonly returned?: boolean } = {},
): Array | [Array, Array] => {
  const [array, given] = promoteToFloat("np.average", [x, weights ?? 1]) as [Array, Array];
  const axes = normalizeAxes("np.average", axis, array.ndim);
  const weight =
    weights === null ? broadcastTo("np.average", given, array.shape) : fitWeights(array, given, axes);
  const total = sum(weight, axes, { keepdims });
  const average =
    weights === null
      ? mean(array, axes, { keepdims })
      : sum(array.mul(weight), axes, { keepdims }).div(total);
  return returned ? [average, total] : average;
};

/** The mean over axes, weighted: weights have the array's shape, or are a vector along the one axis. */
export const average = checked("np.average", 4, ["keepdims", "returned"], averageOf as Average);

function fitWeights(array: Array, weights: Array, axes: readonly number[]): Array {
  if (sameShape(weights.shape, array.shape)) return weights;
  const [axis] = axes as [number];
  if (weights.ndim !== 1 || axes.length !== 1 || weights.shape[0] !== array.shape[axis]) {
    fail(
      "np.average",
      `weights must have the shape of ${showType(array.type)}, or be a vector along the one axis that is averaged ` +
        `over, got ${showType(weights.type)}`,
    );
  }
  const column = weights.reshape(array.shape.map((extent, at) => (at === axis ? extent : 1)));
  return broadcastTo("np.average", column, array.shape);
}

interface Layout {
  /** Whether each row is a variable and each column an observation. Default true. */
  readonly rowvar?: boolean;
}

export interface CovarianceOptions extends Layout {
  /** Whether to divide by the number of observations n rather than n − 1. Default false. */
  readonly bias?: boolean;
  /** What is subtracted from n instead. */
  readonly ddof?: number;
  /** How often each observation counts. */
  readonly fweights?: Array;
  /** How much each observation weighs. */
  readonly aweights?: Array;
}

/** The covariance matrix of variables, each with its observations. */
export const cov = checked(
  "np.cov",
  3,
  ["rowvar", "bias", "ddof", "fweights", "aweights"],
  (m: ArrayLike, y: ArrayLike | null = null, options: CovarianceOptions = {}): Array => {
    const { rowvar = true, bias = false, ddof = bias ? 0 : 1, fweights, aweights } = options;
    const variables = (x: Array): Array => {
      if (x.ndim > 2) fail("np.cov", `needs vectors or matrices, got ${showType(x.type)}`);
      return x.ndim < 2 ? x.reshape([1, -1]) : rowvar || x.shape[0] === 1 ? x : x.T;
    };
    const given = promoteToFloat("np.cov", y === null ? [m] : [m, y]).map(variables);
    const x = given.length === 1 ? given[0] : concatenate(given, 0);
    const factors = [fweights, aweights].flatMap((factor) =>
      factor === undefined ? [] : [asFloat("np.cov", factor)],
    );
    if (factors.length === 0) {
      const centred = x.sub(mean(x, 1, { keepdims: true }));
      return finish(matmul(centred, centred.T).div(x.shape[1] - ddof));
    }
    const weights = factors.reduce((product, factor) => product.mul(factor));
    const total = sum(weights);
    const centred = x.sub(sum(x.mul(weights), 1, { keepdims: true }).div(total));
    const squares = aweights === undefined ? total : sum(weights.mul(asFloat("np.cov", aweights)));
    const count = aweights === undefined ? total.sub(ddof) : total.sub(squares.mul(ddof).div(total));
    return finish(matmul(centred.mul(weights), centred.T).div(count));
  },
);

/** One variable has a variance rather than a matrix. */
const finish = (matrix: Array): Array => (matrix.size === 1 ? matrix.reshape([]) : matrix);

/** The correlation coefficients of variables. */
export const corrcoef = checked(
  "np.corrcoef",
  3,
  ["rowvar"],
  (x: ArrayLike, y: ArrayLike | null = null, options: Layout = {}): Array => {
    const covariance = cov(x, y, options);
    if (covariance.ndim === 0) return covariance.div(covariance);
    const deviation = sqrt(diagonal(covariance));
    return clip(covariance.div(expandDims(deviation, 1)).div(deviation), -1, 1);
  },
);
