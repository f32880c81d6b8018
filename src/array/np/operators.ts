// How NumPy's elementwise functions are made: of a formula, or of a primitive whose operands are promoted to one
// dtype and brought to one shape first.
import type { Array, ArrayLike } from "../core/array.js";
import { checked } from "../core/checked.js";
import { align, asArray, promote, promoteToFloat } from "../core/coerce.js";
import type { Primitive } from "../core/primitive.js";
import { bindOne } from "../core/trace.js";

export type Unary = (x: ArrayLike) => Array;
export type Binary = (x: ArrayLike, y: ArrayLike) => Array;

/** A public function of one array. */
export const unary = (name: string, run: Unary): Unary => checked(name, 1, run);
/** A public function of two arrays. */
export const binary = (name: string, run: Binary): Binary => checked(name, 2, run);

/** A primitive on operands of one dtype. */
export const apply = (primitive: Primitive, operands: readonly Array[]): Array =>
  bindOne(primitive, align(primitive.name, operands), {});

/** A primitive of one operand as it is. */
export const unaryOf = (name: string, primitive: Primitive): Unary =>
  unary(name, (x) => bindOne(primitive, [asArray(primitive.name, x)], {}));

/** A primitive of two operands; another one where they are bool. */
export const binaryOf = (name: string, primitive: Primitive, forBool = primitive): Binary =>
  binary(name, (x, y) => {
    const operands = promote(primitive.name, [x, y]);
    return apply(operands[0].dtype === "bool" ? forBool : primitive, operands);
  });

/** A function of a real variable: integers become floats. */
export const realUnary = (name: string, primitive: Primitive): Unary =>
  unary(name, (x) => bindOne(primitive, promoteToFloat(primitive.name, [x]), {}));

/** A function of two real variables: integers become floats. */
export const realBinary = (name: string, primitive: Primitive): Binary =>
  binary(name, (x, y) => apply(primitive, promoteToFloat(primitive.name, [x, y])));
