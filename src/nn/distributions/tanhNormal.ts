// Normal vectors squashed by tanh into a box: the policy of SAC (https://arxiv.org/abs/1801.01290, appendix C).
import {
  Array,
  check,
  checkOptions,
  fail,
  nn,
  np,
  random,
  rules,
  showValue,
  type ArrayLike,
} from "../../array/index.js";
import { fitsInto, showShape } from "../check.js";
import { sumOfLast } from "./diagonalNormal.js";
import { checkGaussian, checkValue, halfLogTwoPi, shapeOf, type Distribution } from "./distribution.js";

export interface TanhNormalOptions {
  /** The least action: a number, or one for each component. Default −1. */
  readonly low?: ArrayLike;
  /** The greatest action. Default 1. */
  readonly high?: ArrayLike;
}

/** A squashed normal distribution of vectors; log-probabilities are summed over the last axis. */
export interface TanhNormal extends Distribution {
  /** An action and its log-probability, which is exact where that of `logProb` has lost digits near the bounds. */
  sampleAndLogProb(key: Array): readonly [action: Array, logProb: Array];
  /** The action that standard normal noise makes, and its log-probability; differentiable in the parameters. */
  fromNoise(noise: Array): readonly [action: Array, logProb: Array];
  /** Refused: there is no closed form. The mean of −logProb of samples estimates it. */
  entropy(): never;
  /** The squashed mean, which is the median of each component. */
  mode(): Array;
}

// What lies on the bounds has no rules.finite u; it is taken for a point so near to them.
const nearlyOne = 1 - 1e-6;

/** Actions tanh(normal) rescaled to [low, high], for normal vectors [..., size] around `mean`. */
export function TanhNormal(mean: Array, logStd: Array, options: TanhNormalOptions = {}): TanhNormal {
  checkGaussian("TanhNormal", mean, logStd);
  checkOptions("TanhNormal", options, ["low", "high"]);
  const { low = -1, high = 1 } = options;
  const { scale, middle } = boxOf(mean, low, high);
  const size = mean.shape[mean.ndim - 1];
  // What does not depend on the action: log std, log √2π, 2 log 2, log scale, summed over the components.
  const logScale = typeof scale === "number" ? size * Math.log(scale) : sumOfLast(np.log(scale), mean.shape);
  const constant = sumOfLast(logStd, mean.shape).add(np.add(logScale, size * (halfLogTwoPi + 2 * Math.LN2)));
  const squash = (u: Array): Array => np.tanh(u).mul(scale).add(middle);
  // log(1 − tanh²(u)) = 2 (log 2 − u − softplus(−2u)), which does not cancel for large u.
  const logProbOf = (noise: Array, u: Array): Array =>
    u
      .add(nn.softplus(u.mul(-2)))
      .mul(2)
      .sub(noise.mul(noise).mul(0.5))
      .sum(-1)
      .sub(constant);
  const fromNoise = (noise: Array): readonly [Array, Array] => {
    checkValue("TanhNormal.fromNoise", "noise", noise, mean.shape);
    const u = noise.mul(np.exp(logStd)).add(mean);
    return [squash(u), logProbOf(noise, u)];
  };
  return {
    fromNoise,
    sampleAndLogProb: (key) => fromNoise(random.normal(key, mean.shape)),
    sample: (key) => fromNoise(random.normal(key, mean.shape))[0],
    logProb: (action) => {
      checkValue("TanhNormal.logProb", "action", action, mean.shape);
      const y = action.sub(middle).mul(np.divide(1, scale)).clip(-nearlyOne, nearlyOne);
      const u = np.log1p(y).sub(np.log1p(y.neg())).mul(0.5);
      return logProbOf(u.sub(mean).mul(np.exp(logStd.neg())), u);
    },
    entropy: () =>
      fail(
        "TanhNormal.entropy",
        "a squashed normal distribution has no entropy in closed form; estimate it by the mean of −logProb " +
          "of samples: sampleAndLogProb(key)[1].mean().neg()",
      ),
    mode: () => squash(mean),
  };
}

/** Half the width of the box and its middle, as numbers where the bounds are. */
function boxOf(
  mean: Array,
  low: ArrayLike,
  high: ArrayLike,
): { readonly scale: number | Array; readonly middle: number | Array } {
  for (const [name, bound] of Object.entries({ low, high })) {
    if (!(bound instanceof Array)) check("TanhNormal", name, bound, rules.finite);
    if (!fitsInto(shapeOf(bound), mean.shape)) {
      fail(
        "TanhNormal",
        `${name} must broadcast to mean's shape ${showShape(mean.shape)}, got ${showValue(bound)}`,
      );
    }
  }
  if (typeof low === "number" && typeof high === "number") {
    if (low >= high) fail("TanhNormal", `low must be below high, got ${low} and ${high}`);
    return { scale: (high - low) / 2, middle: (high + low) / 2 };
  }
  return { scale: np.subtract(high, low).mul(0.5), middle: np.add(high, low).mul(0.5) };
}
