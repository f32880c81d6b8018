// The normal distribution, element by element.
import { fail, np, random, rules, showValue, type Array, type ArrayLike } from "../../array/index.js";
import { checkArray, checkScalar, fitsInto, showShape } from "../check.js";
import { checkValue, halfLogTwoPi, shapeOf, type Distribution } from "./distribution.js";

/** Normal distributions that know nothing of each other: log-probabilities have the shape of the mean. */
export type Normal = Distribution;

/** The normal distribution of each element, with a standard deviation that fits the mean's shape. */
export function Normal(mean: Array, std: ArrayLike): Normal {
  checkArray("Normal", "mean", mean);
  if (typeof std === "number") checkScalar("Normal", "std", std, rules.positive);
  if (!fitsInto(shapeOf(std), mean.shape)) {
    fail("Normal", `std must broadcast to mean's shape ${showShape(mean.shape)}, got ${showValue(std)}`);
  }
  const logStd = typeof std === "number" ? Math.log(std) : np.log(std);
  return {
    sample: (key) => random.normal(key, mean.shape).mul(std).add(mean),
    logProb: (value) => {
      checkValue("Normal.logProb", "value", value, mean.shape);
      const z = value.sub(mean).mul(np.divide(1, std));
      return z.mul(z).mul(-0.5).sub(np.add(logStd, halfLogTwoPi));
    },
    entropy: () => np.broadcastTo(np.add(logStd, halfLogTwoPi + 0.5), mean.shape),
    mode: () => mean,
  };
}
