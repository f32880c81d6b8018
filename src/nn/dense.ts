// One layer: a matrix of weights and a bias.
import { fail, np, random, showValue, type Array } from "../array/index.js";
import { checkArray, showShape } from "./check.js";
import type { Initializer } from "./initializers.js";

/** Weights and bias of a layer: w [in, out] (or [height, width, in, out] for images), b [out]. */
export interface Layer {
  readonly w: Array;
  readonly b: Array;
}

/** What an activation is: a function of an array, element by element. */
export type Activation = (x: Array) => Array;

/** A layer with a kernel of the given shape, outputs last. */
export function initLayer(
  key: Array,
  shape: readonly number[],
  kernelInit: Initializer,
  biasInit: Initializer,
): Layer {
  const [kernelKey, biasKey] = [...random.split(key)] as [Array, Array];
  return { w: kernelInit(kernelKey, shape), b: biasInit(biasKey, shape.slice(-1)) };
}

/** x · w + b over the last axis of x; `name` says which layer this is. */
export function applyDense(operation: string, name: string, { w, b }: Layer, x: Array): Array {
  checkArray(operation, `${name}.w`, w);
  checkArray(operation, `${name}.b`, b);
  if (w.ndim !== 2 || b.ndim !== 1 || w.shape[1] !== b.shape[0]) {
    fail(operation, `${name} must have w [in, out] and b [out], got ${showValue(w)} and ${showValue(b)}`);
  }
  if (x.ndim === 0 || x.shape[x.ndim - 1] !== w.shape[0]) {
    fail(
      operation,
      `${name} takes ${w.shape[0]} inputs (w is ${showShape(w.shape)}), got ${showValue(x)} with ` +
        `${x.ndim === 0 ? "no axis" : x.shape[x.ndim - 1]} at the end`,
    );
  }
  return np.matmul(x, w).add(b);
}
