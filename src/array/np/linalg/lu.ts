// The LU decomposition with row exchanges: what solving and determinants are made of.
import type { Array } from "../../core/array.js";
import { foriLoop } from "../../lax/loops.js";
import { arange, int32 } from "../creation.js";
import { where } from "../elementwise.js";
import { outer } from "../products.js";
import { argmax } from "../reductions.js";
import { substitute, substituteBack } from "./triangular.js";

export interface Factors {
  /** U above and on the diagonal, L without its diagonal of ones below. */
  readonly lu: Array;
  /** Which row of the matrix each row of L·U is. */
  readonly order: Array;
  /** How many rows were exchanged. */
  readonly exchanges: Array;
}

/** L·U = x with its rows in another order, the largest element of each column as its pivot. */
export function factorize(x: Array): Factors {
  const [n] = x.shape as [number];
  const index = arange(n);
  const eliminate = (k: Array, { lu, order, exchanges }: Factors): Factors => {
    const column = lu.slice(":", k);
    const largest = argmax(where(index.greaterEqual(k), column.abs(), -1)).astype("int32");
    const swap = where(index.equal(k), largest, where(index.equal(largest), k, index));
    const swapped = lu.slice(swap);
    const pivot = swapped.slice(k, k);
    const isBelow = index.greater(k);
    const factor = where(isBelow, swapped.slice(":", k).div(where(pivot.equal(0), 1, pivot)), 0);
    const reduced = swapped.sub(outer(factor, where(isBelow, swapped.slice(k), 0)));
    const isFactor = isBelow.reshape([n, 1]).and(index.equal(k));
    return {
      lu: where(isFactor, factor.reshape([n, 1]), reduced),
      order: order.slice(swap),
      exchanges: exchanges.add(largest.notEqual(k).astype("int32")),
    };
  };
  const start: Factors = { lu: x, order: index, exchanges: int32(0) };
  return n === 0 ? start : foriLoop(0, n, eliminate, start);
}

/** x with a·x = b, or with `isTransposed` aᵀ·x = b, given the factors of a. */
export function solveFactored(lu: Array, order: Array, b: Array, isTransposed: boolean): Array {
  if (!isTransposed) return substituteBack(lu, substitute(lu, b.slice(order), true), false);
  const { T } = lu;
  return substituteBack(T, substitute(T, b, false), true).slice(inverseOf(order));
}

/** Where each number is in a list of all numbers below its length. */
const inverseOf = (order: Array): Array => order.at(order).set(arange(order.size));
