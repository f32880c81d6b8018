// The less common activations of jax.nn, with its derivatives at their kinks.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray, asFloat } from "../core/coerce.js";
import { fail } from "../core/errors.js";
import { normalizeAxis } from "../core/shape.js";
import { showType } from "../core/type.js";
import { add, clip, divide, maximum, minimum, where } from "../np/elementwise.js";
import { split } from "../np/joining.js";
import { expm1, log, log1p, logistic, sqrt, tanh } from "../np/realFunctions.js";
import { elu, relu6, softplus } from "./functions.js";

const seluAlpha = 1.6732632423543772;
const seluScale = 1.0507009873554805;

/** The self-normalising exponential unit of Klambauer et al., 2017. */
export const selu = checked("nn.selu", 1, (x: ArrayLike): Array =>
  elu(asFloat("selu", x), seluAlpha).mul(seluScale),
);

/** x · tanh(softplus(x)). */
export const mish = checked("nn.mish", 1, (x: ArrayLike): Array => {
  const array = asFloat("mish", x);
  return array.mul(tanh(softplus(array)));
});

/** max(x, 0) + alpha · (exp(min(x, 0) / alpha) − 1). */
export const celu = checked("nn.celu", 2, (x: ArrayLike, alpha: ArrayLike = 1): Array => {
  const array = asFloat("celu", x);
  return maximum(array, 0).add(expm1(divide(minimum(array, 0), alpha)).mul(alpha));
});

/** One half of the elements along an axis, gated by the other: a · sigmoid(b). */
export const glu = checked("nn.glu", 2, (x: ArrayLike, axis = -1): Array => {
  const array = asFloat("glu", x);
  const at = normalizeAxis("glu", axis, array.ndim);
  if (array.shape[at] % 2 !== 0) {
    fail("nn.glu", `needs an even extent along axis ${axis}, to halve it, got ${showType(array.type)}`);
  }
  const [values, gates] = split(array, 2, at) as [Array, Array];
  return values.mul(logistic(gates));
});

/** x / (1 + |x|). */
export const softSign = checked("nn.softSign", 1, (x: ArrayLike): Array => {
  const array = asFloat("softSign", x);
  return array.div(array.abs().add(1));
});

/** x limited to [−1, 1], with derivative 1 at the ends. */
export const hardTanh = checked("nn.hardTanh", 1, (x: ArrayLike): Array => {
  const array = asArray("hardTanh", x);
  return where(array.greater(1), 1, where(array.less(-1), -1, array));
});

/** relu6(x + 3) / 6. */
export const hardSigmoid = checked("nn.hardSigmoid", 1, (x: ArrayLike): Array =>
  relu6(asFloat("hardSigmoid", x).add(3)).div(6),
);

/** x · hardSigmoid(x). */
export const hardSilu = checked("nn.hardSilu", 1, (x: ArrayLike): Array => {
  const array = asFloat("hardSilu", x);
  return array.mul(hardSigmoid(array));
});
export const hardSwish = hardSilu;

/** (x + √(x² + b)) / 2. */
export const squareplus = checked("nn.squareplus", 2, (x: ArrayLike, b: ArrayLike = 4): Array => {
  const array = asFloat("squareplus", x);
  return array.add(sqrt(add(array.mul(array), b))).div(2);
});

/** 0 below −1, x above 1, (x + 1)² / 4 between. */
export const sparsePlus = checked("nn.sparsePlus", 1, (x: ArrayLike): Array => {
  const array = asFloat("sparsePlus", x);
  const raised = array.add(1);
  return where(array.lessEqual(-1), 0, where(array.greaterEqual(1), array, raised.mul(raised).div(4)));
});

/** (x + 1) / 2 limited to [0, 1]. */
export const sparseSigmoid = checked("nn.sparseSigmoid", 1, (x: ArrayLike): Array =>
  clip(asFloat("sparseSigmoid", x).add(1), 0, 2).mul(0.5),
);

/** The inverse of sigmoid: log(x / (1 − x)). */
export const logit = checked("nn.logit", 1, (x: ArrayLike): Array => {
  const array = asFloat("logit", x);
  return log(array).sub(log1p(array.neg()));
});
