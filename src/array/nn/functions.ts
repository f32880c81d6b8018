// The functions of jax.nn: activations and what goes with them.
import { checked } from "../core/checked.js";
import type { Array, ArrayLike } from "../core/array.js";
import { asArray, asFloat, promoteNumeric } from "../core/coerce.js";
import type { DType } from "../core/dtype.js";
import { checkWhole } from "../core/rules.js";
import { normalizeAxis, range, type Axes } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { relu as reluPrimitive } from "../primitives/arithmetic.js";
import { iota } from "../primitives/iota.js";
import { stopGradient } from "../lax/operators.js";
import { divide, isfinite, where } from "../np/elementwise.js";
import { erfc } from "../np/errorFunction.js";
import { exp, expm1, log, logaddexp, logistic, sqrt, tanh } from "../np/realFunctions.js";
import { max, mean, sum } from "../np/reductions.js";
import { expandDims } from "../np/shaping.js";

/** max(x, 0), with derivative 0 at 0. */
export const relu = checked("nn.relu", 1, (x: ArrayLike): Array =>
  bindOne(reluPrimitive, promoteNumeric("relu", [asArray("relu", x)]), {}),
);

export const leakyRelu = checked("nn.leakyRelu", 2, (x: ArrayLike, negativeSlope = 0.01): Array => {
  const array = asFloat("leakyRelu", x);
  return where(array.greaterEqual(0), array, array.mul(negativeSlope));
});

/** x where positive, alpha · (exp(x) − 1) elsewhere. */
export const elu = checked("nn.elu", 2, (x: ArrayLike, alpha = 1): Array => {
  const array = asFloat("elu", x);
  const isPositive = array.greater(0);
  // The branch not taken must not overflow, or its derivative would be NaN.
  return where(isPositive, array, expm1(where(isPositive, 0, array)).mul(alpha));
});

/** x · Φ(x); by default with the tanh approximation, as in JAX. */
export const gelu = checked(
  "nn.gelu",
  2,
  ["approximate"],
  (x: ArrayLike, { approximate = true }: { readonly approximate?: boolean } = {}): Array => {
    const array = asFloat("gelu", x);
    if (!approximate) return array.mul(0.5).mul(erfc(array.mul(-Math.SQRT1_2)));
    const cubic = array.add(array.mul(array).mul(array).mul(0.044715));
    const share = tanh(cubic.mul(Math.sqrt(2 / Math.PI)))
      .add(1)
      .mul(0.5);
    return array.mul(share);
  },
);

/** x · sigmoid(x). */
export const silu = checked("nn.silu", 1, (x: ArrayLike): Array => {
  const array = asFloat("silu", x);
  return array.mul(logistic(array));
});
export const swish = silu;

/** log(1 + exp(x)). */
export const softplus = checked("nn.softplus", 1, (x: ArrayLike): Array => logaddexp(x, 0));
/** 1 / (1 + exp(−x)). */
export const sigmoid = checked("nn.sigmoid", 1, (x: ArrayLike): Array => logistic(x));
/** log(sigmoid(x)). */
export const logSigmoid = checked("nn.logSigmoid", 1, (x: ArrayLike): Array =>
  softplus(asFloat("logSigmoid", x).neg()).neg(),
);
export { tanh };

/** The largest element, as a constant, to be subtracted before exp. */
function largestOf(x: Array, axis: Axes): Array {
  const ofNothing = x.size === 0 ? { initial: -Infinity } : {};
  return stopGradient(max(x, axis, { keepdims: true, ...ofNothing }));
}

/** log Σ exp(x) over axes, without overflow. */
export const logsumexp = checked(
  "nn.logsumexp",
  3,
  ["keepdims"],
  (x: ArrayLike, axis: Axes = null, { keepdims = false }: { readonly keepdims?: boolean } = {}): Array => {
    const array = asFloat("logsumexp", x);
    const largest = largestOf(array, axis);
    const by = where(isfinite(largest), largest, 0);
    const total = log(sum(exp(array.sub(by)), axis, { keepdims: true })).add(by);
    return keepdims ? total : total.squeeze(axis ?? range(total.ndim));
  },
);

/** exp(x) / Σ exp(x) along an axis. */
export const softmax = checked("nn.softmax", 2, (x: ArrayLike, axis: Axes = -1): Array => {
  const array = asFloat("softmax", x);
  const grown = exp(array.sub(largestOf(array, axis)));
  // One division for each sum; there are many elements to it.
  return grown.mul(divide(1, sum(grown, axis, { keepdims: true })));
});

/** log(softmax(x)) along an axis. */
export const logSoftmax = checked("nn.logSoftmax", 2, (x: ArrayLike, axis: Axes = -1): Array => {
  const array = asFloat("logSoftmax", x);
  const shifted = array.sub(largestOf(array, axis));
  return shifted.sub(log(sum(exp(shifted), axis, { keepdims: true })));
});

/** 1 at the position each element names along a new axis, 0 elsewhere; all 0 for a position outside. */
export const oneHot = checked(
  "nn.oneHot",
  3,
  ["dtype", "axis"],
  (
    x: ArrayLike,
    numClasses: number,
    { dtype = "float32", axis = -1 }: { readonly dtype?: DType; readonly axis?: number } = {},
  ): Array => {
    const array = asArray("oneHot", x);
    checkWhole("oneHot", "numClasses", numClasses, 0);
    const at = normalizeAxis("oneHot", axis, array.ndim + 1);
    const column = expandDims(array, at);
    const shape = column.shape.map((extent, other) => (other === at ? numClasses : extent));
    const classes = bindOne(iota, [], { shape, axis: at, dtype: "int32" });
    return column.equal(classes).astype(dtype);
  },
);

/** x minus its mean, divided by its standard deviation, along axes. */
export const standardize = checked(
  "nn.standardize",
  3,
  ["epsilon"],
  (x: ArrayLike, axis: Axes = -1, { epsilon = 1e-5 }: { readonly epsilon?: number } = {}): Array => {
    const array = asFloat("standardize", x);
    const centred = array.sub(mean(array, axis, { keepdims: true }));
    const variance = mean(centred.mul(centred), axis, { keepdims: true });
    return centred.div(sqrt(variance.add(epsilon)));
  },
);

/** max(x, 0) capped at 6, with derivative 0 at both ends. */
export const relu6 = checked("nn.relu6", 1, (x: ArrayLike): Array => {
  const raised = relu(asFloat("relu6", x));
  return where(raised.greaterEqual(6), 6, raised);
});
