// Pooling of images (or of one or three spatial axes): what a window holds, made one number.
import { checkOptions, fail, lax, np, rules, showValue, type Array } from "../array/index.js";
import { checkArray, checkList } from "./check.js";

export interface PoolOptions {
  /** Steps between windows along each spatial axis. Default 1. */
  readonly strides?: readonly number[];
  /** "VALID" (the default), "SAME", "SAME_LOWER", or [before, after] for each spatial axis. */
  readonly padding?: lax.Padding;
}

export interface AveragePoolOptions extends PoolOptions {
  /** Whether padding counts as zeros; otherwise averages are over what is inside. Default true. */
  readonly countIncludePad?: boolean;
}

const poolOptions = ["strides", "padding"];

/** Combines the windows of [..., spatial…, channels] by a function of two arrays. */
function pool(
  operation: string,
  x: Array,
  windowShape: readonly number[],
  { strides, padding = "VALID" }: PoolOptions,
  initial: number,
  computation: typeof np.add,
): Array {
  checkArray(operation, "x", x);
  checkList(operation, "windowShape", windowShape, rules.whole(1), { least: 1 });
  const spatial = windowShape.length;
  if (strides !== undefined) checkList(operation, "strides", strides, rules.whole(1), { length: spatial });
  const lead = x.ndim - spatial - 1;
  if (lead < 0) {
    fail(
      operation,
      `x must be [..., ${spatial} spatial axes, channels] for windows of ${showValue(windowShape)}, got ${showValue(x)}`,
    );
  }
  const around = (list: readonly number[]): number[] => [...x.shape.slice(0, lead).map(() => 1), ...list, 1];
  const none = [0, 0] as const;
  return lax.reduceWindow(x, initial, computation, around(windowShape), {
    windowStrides: around(strides ?? windowShape.map(() => 1)),
    padding:
      typeof padding === "string" ? padding : [...x.shape.slice(0, lead).map(() => none), ...padding, none],
  });
}

/** The largest element of each window, along the axes before the channels: `maxPool(images, [2, 2], { strides: [2, 2] })`. */
export function maxPool(x: Array, windowShape: readonly number[], options: PoolOptions = {}): Array {
  checkOptions("maxPool", options, poolOptions);
  return pool("maxPool", x, windowShape, options, -Infinity, np.maximum);
}

/** The smallest element of each window. */
export function minPool(x: Array, windowShape: readonly number[], options: PoolOptions = {}): Array {
  checkOptions("minPool", options, poolOptions);
  return pool("minPool", x, windowShape, options, Infinity, np.minimum);
}

/** The mean of each window. */
export function avgPool(
  x: Array,
  windowShape: readonly number[],
  { countIncludePad = true, ...options }: AveragePoolOptions = {},
): Array {
  checkOptions("avgPool", options, poolOptions);
  const total = pool("avgPool", x, windowShape, options, 0, np.add);
  if (countIncludePad) return total.div(windowShape.reduce((product, extent) => product * extent, 1));
  return total.div(pool("avgPool", np.onesLike(x), windowShape, options, 0, np.add));
}
