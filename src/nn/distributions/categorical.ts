// One of a number of classes, each with its own probability.
import { fail, nn, np, random, showValue, type Array } from "../../array/index.js";
import { checkArray } from "../check.js";
import { checkValue, type Distribution } from "./distribution.js";

/** The classes 0 … n − 1 with probabilities softmax(logits). */
export interface Categorical extends Distribution {
  /** The probabilities [..., n]. */
  probs(): Array;
  /** The class that numbers from 0 to 1, as many as logits, make: uniform ones make samples. */
  fromNoise(noise: Array): Array;
}

// Where a class is impossible its logarithm is −∞, and 0 · −∞ would spoil the entropy.
const leastLogProb = -3.4028234663852886e38;

// What noise is kept within: its logarithms stay finite in float32, and below 0.
const [leastNoise, mostNoise] = [1e-30, 1 - 2 ** -24];

/** The distribution of the classes along the last axis of logits [..., n]; a logit of −∞ rules a class out. */
export function Categorical(logits: Array): Categorical {
  checkArray("Categorical", "logits", logits);
  if (logits.ndim === 0 || logits.shape[logits.ndim - 1] === 0) {
    fail("Categorical", `logits must have a last axis of classes, got ${showValue(logits)}`);
  }
  const batch = logits.shape.slice(0, -1);
  const classes = np.arange(logits.shape[logits.ndim - 1]);
  const logProbs = nn.logSoftmax(logits);
  return {
    sample: (key) => random.categorical(key, logits),
    logProb: (action) => {
      checkValue("Categorical.logProb", "action", action, batch);
      if (action.dtype.startsWith("float")) {
        fail(
          "Categorical.logProb",
          `action must be integers, got ${showValue(action)}; convert with astype("int32")`,
        );
      }
      // As quick as a gather, and it broadcasts.
      return np.where(action.slice("...", null).equal(classes), logProbs, 0).sum(-1);
    },
    entropy: () => np.exp(logProbs).mul(np.maximum(logProbs, leastLogProb)).sum(-1).neg(),
    mode: () => logits.argmax(-1),
    probs: () => np.exp(logProbs),
    fromNoise: (noise) => {
      checkValue("Categorical.fromNoise", "noise", noise, logits.shape);
      // The largest of the logits with Gumbel noise is a sample.
      return logits.sub(np.log(np.log(noise.clip(leastNoise, mostNoise)).neg())).argmax(-1);
    },
  };
}
