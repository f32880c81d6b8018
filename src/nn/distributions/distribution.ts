// What the distributions have in common.
import { Array, fail, showValue, type ArrayLike, type Shape } from "../../array/index.js";
import { checkArray, fitsInto, showShape } from "../check.js";

/** A distribution over arrays: plain functions around its parameters, which may have any batch axes. */
export interface Distribution {
  /** One draw for each element of the batch. */
  sample(key: Array): Array;
  /** The logarithm of the probability, or of its density, of a value. */
  logProb(value: Array): Array;
  entropy(): Array;
  /** The most probable value. */
  mode(): Array;
}

/** log(2π) / 2. */
export const halfLogTwoPi = 0.5 * Math.log(2 * Math.PI);

/** The mean and the logarithm of the deviation, which must fit the mean's shape [..., size]. */
export function checkGaussian(operation: string, mean: Array, logStd: Array): void {
  checkArray(operation, "mean", mean);
  checkArray(operation, "logStd", logStd);
  if (mean.ndim === 0) fail(operation, `mean must have a last axis to sum over, got ${showValue(mean)}`);
  if (!fitsInto(logStd.shape, mean.shape)) {
    fail(
      operation,
      `logStd must broadcast to mean's shape ${showShape(mean.shape)}, got ${showValue(logStd)}`,
    );
  }
}

/** Refuses a value that does not broadcast with a shape. */
export function checkValue(operation: string, name: string, value: unknown, shape: Shape): void {
  checkArray(operation, name, value);
  if (!fitsInto(value.shape, shape) && !fitsInto(shape, value.shape)) {
    fail(operation, `${name} must fit the shape ${showShape(shape)}, got ${showValue(value)}`);
  }
}

export const shapeOf = (value: ArrayLike): Shape => (value instanceof Array ? value.shape : []);
