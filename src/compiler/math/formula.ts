// Functions of numbers as formulas: a few simple operations that every machine has, written once for all renderers.
import type { DType } from "../../array/index.js";

/**
 * What every renderer can do with values of one element (or with as many at once as it likes). Floats are rounded to
 * their dtype after each operation, integers wrap around. `madd` is x · y + z, rounded once or twice, as the machine
 * prefers. `maxNumber` is x < y ? y : x and `minNumber` y < x ? y : x, so that the first operand comes out where one is
 * NaN; `max` and `min` give NaN there. `round` goes to the nearest whole number, halves to the even one. Shifts are by
 * constants from 0 to 31. `select` takes the condition first. A `convert` of a float to int32 cuts off, and is only
 * asked for where the result is in range or does not matter. On float64 there are `add`, `sub`, `mul`, `div`, `madd`,
 * `round` and `convert` only.
 */
export type BasicOperation =
  | "neg"
  | "abs"
  | "sqrt"
  | "floor"
  | "ceil"
  | "trunc"
  | "round"
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "madd"
  | "max"
  | "min"
  | "maxNumber"
  | "minNumber"
  | "equal"
  | "notEqual"
  | "less"
  | "lessEqual"
  | "and"
  | "or"
  | "xor"
  | "not"
  | "shiftLeft"
  | "shiftRightLogical"
  | "shiftRightArithmetic"
  | "select"
  | "convert"
  | "bitcast";

/** A value of a formula. Equal ones are one object. */
export type Term =
  | { readonly kind: "operand"; readonly dtype: DType; readonly operand: number }
  | { readonly kind: "constant"; readonly dtype: DType; readonly value: number }
  | {
      readonly kind: "operation";
      readonly dtype: DType;
      readonly name: BasicOperation;
      readonly inputs: readonly Term[];
    };

export interface Formula {
  /** Everything to compute, operands before what they are for. */
  readonly terms: readonly Term[];
  /** The result, or both where there are two. */
  readonly results: readonly Term[];
}
