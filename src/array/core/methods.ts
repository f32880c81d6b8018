// The operations that every array has as methods. `np/methods.ts` implements them, so that the array itself
// knows nothing of the operations built on it.
import type { CumulativeOptions } from "../np/cumulative.js";
import type { IndexedUpdate } from "../np/indexedUpdate.js";
import type { Index } from "../np/indexing.js";
import type { RepeatOptions } from "../np/rolling.js";
import type { SortOptions } from "../np/sorting.js";
import type { TakeOptions } from "../np/taking.js";
import type { Array, ArrayLike } from "./array.js";
import type { DType } from "./dtype.js";
import type { Axes, Shape } from "./shape.js";

export interface KeepDims {
  /** Whether reduced axes stay with extent 1. Default false. */
  readonly keepdims?: boolean;
}

export interface Masked extends KeepDims {
  /** Which elements count, a bool array that broadcasts to the operand; all of them by default. */
  readonly where?: ArrayLike;
}

export interface Reduction extends Masked {
  /** A scalar to start from; the result over no elements. */
  readonly initial?: ArrayLike;
}

export interface InDType {
  /** The dtype to compute in and to return; by default the operand's, as the operation needs it. */
  readonly dtype?: DType;
}

export interface Spread extends Masked, InDType {
  /** What is subtracted from the count of elements. Default 0. */
  readonly ddof?: number;
}

export interface ArrayMethods {
  // ---- arithmetic -------------------------------------------------------------------------------------

  add(other: ArrayLike): Array;
  sub(other: ArrayLike): Array;
  mul(other: ArrayLike): Array;
  /** True division: integers give floats. */
  div(other: ArrayLike): Array;
  floorDivide(other: ArrayLike): Array;
  /** Remainder with the sign of the divisor. */
  mod(other: ArrayLike): Array;
  pow(other: ArrayLike): Array;
  neg(): Array;
  abs(): Array;
  clip(min?: ArrayLike | null, max?: ArrayLike | null): Array;
  round(decimals?: number): Array;

  // ---- comparison and logic ---------------------------------------------------------------------------

  equal(other: ArrayLike): Array;
  notEqual(other: ArrayLike): Array;
  less(other: ArrayLike): Array;
  lessEqual(other: ArrayLike): Array;
  greater(other: ArrayLike): Array;
  greaterEqual(other: ArrayLike): Array;
  /** Bitwise and; logical for `bool`. */
  and(other: ArrayLike): Array;
  /** Bitwise or; logical for `bool`. */
  or(other: ArrayLike): Array;
  /** Bitwise exclusive or; logical for `bool`. */
  xor(other: ArrayLike): Array;
  /** Bitwise not; logical for `bool`. */
  not(): Array;

  // ---- reductions -------------------------------------------------------------------------------------

  sum(axis?: Axes, options?: Reduction & InDType): Array;
  mean(axis?: Axes, options?: Masked & InDType): Array;
  var(axis?: Axes, options?: Spread): Array;
  std(axis?: Axes, options?: Spread): Array;
  max(axis?: Axes, options?: Reduction): Array;
  min(axis?: Axes, options?: Reduction): Array;
  prod(axis?: Axes, options?: Reduction & InDType): Array;
  any(axis?: Axes, options?: Masked): Array;
  all(axis?: Axes, options?: Masked): Array;
  argmax(axis?: number | null, options?: KeepDims): Array;
  argmin(axis?: number | null, options?: KeepDims): Array;
  cumsum(axis?: number | null, options?: CumulativeOptions & InDType): Array;
  cumprod(axis?: number | null, options?: CumulativeOptions & InDType): Array;

  // ---- shape and dtype --------------------------------------------------------------------------------

  /** The same elements in another shape; one extent may be -1. */
  reshape(shape: number | Shape): Array;
  /** One dimension, row-major. */
  flatten(): Array;
  ravel(): Array;
  /** Axes in the given order, or reversed. */
  transpose(axes?: readonly number[] | null): Array;
  readonly T: Array;
  swapaxes(a: number, b: number): Array;
  squeeze(axis?: Axes): Array;
  repeat(repeats: number | Array | readonly number[], axis?: number | null, options?: RepeatOptions): Array;
  astype(dtype: DType): Array;

  // ---- indexing, sorting, products --------------------------------------------------------------------

  /** `x.slice(0, "1:", "...", indices)` is NumPy's `x[0, 1:, ..., indices]`. */
  slice(...index: readonly Index[]): Array;
  /** A place to update: `x.at(i).set(v)`, `x.at(0, "1:").add(v)` return new arrays. */
  at(...index: readonly Index[]): IndexedUpdate;
  take(indices: Array | number | readonly number[], axis?: number | null, options?: TakeOptions): Array;
  sort(axis?: number | null, options?: SortOptions): Array;
  argsort(axis?: number | null, options?: SortOptions): Array;
  dot(other: ArrayLike): Array;
  matmul(other: ArrayLike): Array;
}
