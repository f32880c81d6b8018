// Comparisons, which give `bool`, and bit operations, which on `bool` are logic.
import { dtypes, type DType } from "../core/dtype.js";
import { elementwise, integersAndBool, type Formula } from "./elementwise.js";

const comparison = (name: string, formula: Formula) =>
  elementwise({ name, arity: 2, accepts: dtypes, result: "bool", formula: () => formula });

export const equal = comparison("equal", (x, y) => (x === y ? 1 : 0));
export const notEqual = comparison("notEqual", (x, y) => (x !== y ? 1 : 0));
export const less = comparison("less", (x, y) => (x < y ? 1 : 0));
export const lessEqual = comparison("lessEqual", (x, y) => (x <= y ? 1 : 0));

const bitwise = (name: string, arity: number, formula: (dtype: DType) => Formula) =>
  elementwise({ name, arity, accepts: integersAndBool, formula });

export const and = bitwise("and", 2, () => (x, y) => x & y);
export const or = bitwise("or", 2, () => (x, y) => x | y);
export const xor = bitwise("xor", 2, () => (x, y) => x ^ y);
export const not = bitwise("not", 1, (dtype) => (dtype === "bool" ? (x) => 1 - x : (x) => ~x));

const bitWidth = (dtype: DType): number => (dtype === "uint8" ? 8 : 32);

/** Shifts by the bit width or more empty the value, as XLA has it; JavaScript would take them modulo 32. */
const shift = (name: string, accepts: readonly DType[], formula: Formula, emptied: (x: number) => number) =>
  elementwise({
    name,
    arity: 2,
    accepts,
    formula: (dtype) => (x, count) =>
      count < 0 || count >= bitWidth(dtype) ? emptied(x) : formula(x, count),
  });

const integers: readonly DType[] = ["int32", "uint32", "uint8"];

export const shiftLeft = shift(
  "shiftLeft",
  integers,
  (x, count) => x << count,
  () => 0,
);
export const shiftRightLogical = shift(
  "shiftRightLogical",
  integers,
  (x, count) => x >>> count,
  () => 0,
);
/** Fills with copies of the sign. */
export const shiftRightArithmetic = shift(
  "shiftRightArithmetic",
  ["int32"],
  (x, count) => x >> count,
  (x) => (x < 0 ? -1 : 0),
);
