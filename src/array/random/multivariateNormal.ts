// The normal distribution of vectors.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { promoteToFloat } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { broadcastShapes, checkShape, sameShape, showShape, type Shape } from "../core/shape.js";
import { showType } from "../core/type.js";
import { einsum } from "../np/einsum.js";
import { cholesky } from "../np/linalg/cholesky.js";
import { normal } from "./basic.js";

/**
 * Vectors with a mean [..., n] and a positive definite covariance [..., n, n]. The shape is that of the batch,
 * without n.
 */
export const multivariateNormal = checked(
  "random.multivariateNormal",
  4,
  (ofKey: Array, mean: ArrayLike, cov: ArrayLike, shape: Shape | null = null): Array => {
    const operation = "random.multivariateNormal";
    const [centre, covariance] = promoteToFloat(operation, [mean, cov]) as [Array, Array];
    const n = centre.shape[centre.ndim - 1];
    if (centre.ndim < 1 || covariance.ndim < 2 || !sameShape(covariance.shape.slice(-2), [n, n])) {
      fail(
        operation,
        `mean must be [..., n] and cov [..., n, n], got ${showType(centre.type)} and ${showType(covariance.type)}`,
      );
    }
    const batch = broadcastShapes(operation, centre.shape.slice(0, -1), covariance.shape.slice(0, -2));
    const wanted = shape === null ? batch : checkShape(operation, shape);
    if (!sameShape(broadcastShapes(operation, wanted, batch), wanted)) {
      fail(operation, `shape ${showShape(wanted)} must end in the batch shape ${showShape(batch)}`);
    }
    const factor = cholesky(covariance);
    const noise = normal(ofKey, [...wanted, n]);
    return centre.add(einsum("...ij,...j->...i", factor, noise));
  },
);
