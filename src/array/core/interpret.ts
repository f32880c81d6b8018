// The reference interpreter: runs a Program equation by equation with each primitive's own evaluation rule.
import { Array, type Concrete } from "./array.js";
import { allocate, type DType, type TypedArray } from "./dtype.js";
import type { Primitive } from "./primitive.js";
import type { Atom, Equation, Literal, Program, Variable } from "./program.js";
import { arrayType, type ArrayType } from "./type.js";

// Programs are full of the same few numbers, and a typed array is expensive: scalars are made once each.
const scalars = new Map<string, Map<number, Concrete>>();
const mostScalars = 1024;

/** A concrete scalar. */
export function scalar(value: number, type: ArrayType): Concrete {
  const kind = type.weak ? `weak ${type.dtype}` : type.dtype;
  let known = scalars.get(kind);
  if (known === undefined) scalars.set(kind, (known = new Map<number, Concrete>()));
  // A Map takes -0 for 0.
  const found = Object.is(value, -0) ? undefined : known.get(value);
  if (found !== undefined) return found;
  const elements = allocate(type.dtype, 1);
  elements[0] = value;
  const made = concrete(arrayType([], type.dtype, type.weak), elements);
  if (known.size < mostScalars && !Object.is(value, -0)) known.set(value, made);
  return made;
}

/** An array with the given elements, row-major. */
export const concrete = (type: ArrayType, elements: TypedArray): Concrete =>
  new Array(type, elements) as Concrete;

/** A concrete scalar of a dtype. */
export const constant = (value: number, dtype: DType): Concrete => scalar(value, arrayType([], dtype));

export const literalArray = ({ value, type }: Literal): Concrete => scalar(value, type);

export function evaluatePrimitive<P extends object>(
  primitive: Primitive<P>,
  inputs: readonly Concrete[],
  params: P,
  types: readonly ArrayType[],
): Concrete[] {
  const results = primitive.evaluate(inputs, params, types);
  return types.map((type, index) => concrete(type, results[index]));
}

/** The value of an equation whose operands are all literals and whose result is one scalar. */
export function evaluateLiterals({ primitive, inputs, params, outputs }: Equation): number {
  const operands = inputs.map((input) => literalArray(input as Literal));
  const [result] = evaluatePrimitive(primitive, operands, params, [outputs[0].type]);
  return result.elements[0];
}

/**
 * Applies the equations of a program to values with `apply`, in order. The values may be concrete or traced;
 * this is how every interpretation of a Program (running, inlining, differentiating, batching) walks it.
 */
export function walk<T>(
  program: Program,
  inputs: readonly T[],
  literal: (literal: Literal) => T,
  apply: (equation: Equation, inputs: T[]) => readonly T[],
): T[] {
  const values = new Map<Variable, T>();
  program.inputs.forEach((variable, index) => values.set(variable, inputs[index]));
  const read = (atom: Atom): T => (atom.kind === "literal" ? literal(atom) : (values.get(atom) as T));
  for (const equation of program.equations) {
    const results = apply(equation, equation.inputs.map(read));
    equation.outputs.forEach((variable, index) => values.set(variable, results[index]));
  }
  return program.outputs.map(read);
}

/** Runs a program on concrete arrays. */
export const interpret = (program: Program, inputs: readonly Concrete[]): Concrete[] =>
  walk(program, inputs, literalArray, ({ primitive, params, outputs }, operands) =>
    evaluatePrimitive(
      primitive,
      operands,
      params,
      outputs.map((output) => output.type),
    ),
  );
