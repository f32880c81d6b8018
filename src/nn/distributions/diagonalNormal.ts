// Vectors of independent normal components: the policy of continuous actions without bounds.
import { np, random, type Array, type Shape } from "../../array/index.js";
import { checkGaussian, checkValue, halfLogTwoPi, type Distribution } from "./distribution.js";

/** A normal distribution of vectors: log-probabilities and entropies are summed over the last axis. */
export type DiagonalNormal = Distribution;

/** Vectors [..., size] around `mean` with deviations exp(logStd); logStd may be shared by a batch, as [size]. */
export function DiagonalNormal(mean: Array, logStd: Array): DiagonalNormal {
  checkGaussian("DiagonalNormal", mean, logStd);
  const size = mean.shape[mean.ndim - 1];
  const totalLogStd = sumOfLast(logStd, mean.shape);
  return {
    sample: (key) => random.normal(key, mean.shape).mul(np.exp(logStd)).add(mean),
    logProb: (value) => {
      checkValue("DiagonalNormal.logProb", "value", value, mean.shape);
      const z = value.sub(mean).mul(np.exp(logStd.neg()));
      return z
        .mul(z)
        .sum(-1)
        .mul(-0.5)
        .sub(totalLogStd.add(size * halfLogTwoPi));
    },
    entropy: () => np.broadcastTo(totalLogStd.add(size * (halfLogTwoPi + 0.5)), mean.shape.slice(0, -1)),
    mode: () => mean,
  };
}

/** The sum over the last axis of x, as if x had the given shape there. Sums the small array, not the batch. */
export function sumOfLast(x: Array, shape: Shape): Array {
  const size = shape[shape.length - 1];
  if (x.ndim === 0) return x.mul(size);
  return x.shape[x.ndim - 1] === size ? x.sum(-1) : x.squeeze(-1).mul(size);
}
