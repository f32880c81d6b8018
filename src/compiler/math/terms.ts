// Writing formulas down: a function for each basic operation, and numbers where constants are meant.
import type { DType } from "../../array/index.js";
import type { BasicOperation, Formula, Term } from "./formula.js";

/** A term, or a number that takes the dtype of the term next to it. */
export type Value = Term | number;

const interned = new Map<string, Term>();
const numbers = new WeakMap<Term, number>();

/** The one object for a term. */
function intern(key: string, term: Term): Term {
  const known = interned.get(key);
  if (known !== undefined) return known;
  numbers.set(term, interned.size);
  interned.set(key, term);
  return term;
}

export const operand = (index: number, dtype: DType): Term =>
  intern(`operand ${index} ${dtype}`, { kind: "operand", dtype, operand: index });

/** A number as a dtype holds it. */
export function constant(value: number, dtype: DType): Term {
  const held =
    dtype === "float32"
      ? Math.fround(value)
      : dtype === "int32"
        ? value | 0
        : dtype === "uint32"
          ? value >>> 0
          : value;
  const shown = Object.is(held, -0) ? "-0" : held;
  return intern(`constant ${shown} ${dtype}`, { kind: "constant", dtype, value: held });
}

function operation(name: BasicOperation, dtype: DType, inputs: readonly Term[]): Term {
  const ids = inputs.map((input) => numbers.get(input)).join(" ");
  return intern(`${name} ${dtype} ${ids}`, { kind: "operation", dtype, name, inputs });
}

/** Terms for values, of the dtype that those of them have that are no numbers. */
function alike(values: readonly Value[]): readonly Term[] {
  const term = values.find((value) => typeof value !== "number");
  if (term === undefined) throw new Error("an operation on numbers alone is no part of a formula");
  return values.map((value) => (typeof value === "number" ? constant(value, term.dtype) : value));
}

type Unary = (x: Term) => Term;
type Binary = (x: Value, y: Value) => Term;

const unary =
  (name: BasicOperation): Unary =>
  (x) =>
    operation(name, x.dtype, [x]);

const binary =
  (name: BasicOperation): Binary =>
  (x, y) => {
    const inputs = alike([x, y]);
    return operation(name, inputs[0].dtype, inputs);
  };

const comparison =
  (name: BasicOperation): Binary =>
  (x, y) =>
    operation(name, "bool", alike([x, y]));

export const neg = unary("neg");
export const abs = unary("abs");
export const sqrt = unary("sqrt");
export const trunc = unary("trunc");
export const round = unary("round");
export const not = unary("not");

export const add = binary("add");
export const sub = binary("sub");
export const mul = binary("mul");
export const div = binary("div");
export const max = binary("max");
export const min = binary("min");
export const maxNumber = binary("maxNumber");
export const minNumber = binary("minNumber");
export const and = binary("and");
export const or = binary("or");
export const xor = binary("xor");
export const shiftLeft = binary("shiftLeft");
export const shiftRightLogical = binary("shiftRightLogical");
export const shiftRightArithmetic = binary("shiftRightArithmetic");

export const equal = comparison("equal");
export const notEqual = comparison("notEqual");
export const less = comparison("less");
export const lessEqual = comparison("lessEqual");

/** x · y + z, rounded once or twice. */
export function madd(x: Value, y: Value, z: Value): Term {
  const inputs = alike([x, y, z]);
  return operation("madd", inputs[0].dtype, inputs);
}

export function select(condition: Term, x: Value, y: Value): Term {
  const choices = alike([x, y]);
  return operation("select", choices[0].dtype, [condition, ...choices]);
}

export const convert = (x: Term, dtype: DType): Term => operation("convert", dtype, [x]);

/** The bits of a float. */
export const bitsOf = (x: Term): Term => operation("bitcast", "int32", [x]);
/** The float with some bits. */
export const floatOf = (bits: Term): Term => operation("bitcast", "float32", [bits]);

/** A polynomial, coefficients from the highest power down. */
export const polynomial = (x: Term, [highest, ...rest]: readonly number[]): Term =>
  rest.reduce((sum, coefficient) => madd(sum, x, coefficient), constant(highest, x.dtype));

/** A formula of some results: all terms that they need, each once, in the order in which they can be computed. */
export function formula(...results: readonly Term[]): Formula {
  const terms = new Set<Term>();
  const visit = (term: Term): void => {
    if (terms.has(term)) return;
    if (term.kind === "operation") term.inputs.forEach(visit);
    terms.add(term);
  };
  results.forEach(visit);
  return { terms: [...terms], results };
}
