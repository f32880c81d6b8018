// How NumPy's functions apply primitives: operands promoted to one dtype and brought to one shape first.
import type { Array, ArrayLike } from "../core/array.js";
import { align, promoteToFloat } from "../core/coerce.js";
import type { Primitive } from "../core/primitive.js";
import { bindOne } from "../core/trace.js";

export type Unary = (x: ArrayLike) => Array;
export type Binary = (x: ArrayLike, y: ArrayLike) => Array;

/** A primitive on operands of one dtype. */
export const apply = (primitive: Primitive, operands: readonly Array[]): Array =>
  bindOne(primitive, align(primitive.name, operands), {});

/** A function of a real variable: integers become floats. */
export const realUnary =
  (primitive: Primitive): Unary =>
  (x) =>
    bindOne(primitive, promoteToFloat(primitive.name, [x]), {});

/** A function of two real variables: integers become floats. */
export const realBinary =
  (primitive: Primitive): Binary =>
  (x, y) =>
    apply(primitive, promoteToFloat(primitive.name, [x, y]));
