// What all elementwise primitives share. Operands have one common shape, except that scalars go with any
// shape; `elementwise` turns a formula and its derivatives into a full set of rules.
import type { Array } from "../core/array.js";
import { allocate, dtypes, isFloat, type DType, type TypedArray } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import type { Batched, Linearized, Primitive, Tangent } from "../core/primitive.js";
import { range, sameShape, sizeOf, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType, type ArrayType } from "../core/type.js";
import { broadcast } from "./broadcast.js";
import { transposeOne, type TransposeOne } from "./linear.js";

/** A formula on numbers; storing the result rounds or wraps it to the dtype. */
export type Formula = (...elements: number[]) => number;

/** The part of the result's tangent that one operand contributes. */
export type Derivative = (tangent: Array, output: Array, ...inputs: Array[]) => Array;

interface ElementwiseSpec {
  readonly name: string;
  readonly arity: number;
  /** The dtypes it works on. */
  readonly accepts: readonly DType[];
  /** `bool` for comparisons; otherwise the operands' own dtype. */
  readonly result?: "bool";
  /** The formula for a dtype. */
  readonly formula: (dtype: DType) => Formula;
  /** One per operand; left out where the derivative is zero almost everywhere. */
  readonly derivatives?: readonly Derivative[];
  readonly transpose?: TransposeOne<object>;
}

export const floats: readonly DType[] = dtypes.filter(isFloat);
export const numeric: readonly DType[] = dtypes.filter((dtype) => dtype !== "bool");
export const integersAndBool: readonly DType[] = dtypes.filter((dtype) => !isFloat(dtype));

/** A primitive without parameters that works element by element. */
export function elementwise(spec: ElementwiseSpec): Primitive {
  const primitive: Primitive = {
    name: spec.name,
    infer(inputs) {
      checkArity(spec.name, inputs, spec.arity);
      const dtype = checkDType(spec.name, inputs, spec.accepts);
      const weak = inputs.every((input) => input.weak);
      return [arrayType(commonShape(spec.name, inputs), spec.result ?? dtype, weak && !spec.result)];
    },
    evaluate(inputs, _params, [output]) {
      const formula = spec.formula((inputs[0] as Array).dtype);
      return [applyFormula(formula, inputs, output)];
    },
    jvp: (inputs, tangents) => jvpElementwise(primitive, inputs, tangents, {}, spec.derivatives ?? []),
    batch: (inputs, batched, params, size) => batchElementwise(primitive, inputs, batched, params, size),
    ...(spec.transpose && { transpose: transposeOne(spec.transpose) }),
  };
  return primitive;
}

export function checkArity(name: string, inputs: readonly unknown[], arity: number): void {
  if (inputs.length !== arity) fail(name, `takes ${arity} operand(s), got ${inputs.length}`);
}

/** The one dtype of all operands, refused if it is not among `accepts`. */
export function checkDType(name: string, inputs: readonly ArrayType[], accepts: readonly DType[]): DType {
  const [{ dtype }] = inputs as [ArrayType];
  if (inputs.some((input) => input.dtype !== dtype)) {
    fail(
      name,
      `operands must have one dtype, got ${inputs.map(showType).join(" and ")}; convert with astype`,
    );
  }
  if (!accepts.includes(dtype)) {
    fail(name, `needs ${accepts.join(", ")}; got ${showType(inputs[0])}`);
  }
  return dtype;
}

/** The shape that the operands have, those that are scalars aside. */
export function commonShape(name: string, inputs: readonly ArrayType[]): Shape {
  let shape: Shape = [];
  for (const { shape: own } of inputs) {
    if (shape.length === 0) shape = own;
    else if (own.length > 0 && !sameShape(own, shape)) {
      fail(name, `operands must have one shape or be scalars, got ${inputs.map(showType).join(" and ")}`);
    }
  }
  return shape;
}

/** Evaluates a formula of one to three operands for every element. */
export function applyFormula(formula: Formula, inputs: readonly Array[], output: ArrayType): TypedArray {
  const size = sizeOf(output.shape);
  const out = allocate(output.dtype, size);
  const [a, b, c] = inputs.map((input) => input.elements) as [TypedArray, TypedArray, TypedArray];
  // A scalar operand is read with step 0.
  const [i, j, k] = inputs.map((input) => (input.ndim === 0 ? 0 : 1)) as [number, number, number];
  if (inputs.length === 1) {
    for (let at = 0; at < size; at++) out[at] = formula(a[at * i]);
  } else if (inputs.length === 2) {
    for (let at = 0; at < size; at++) out[at] = formula(a[at * i], b[at * j]);
  } else {
    for (let at = 0; at < size; at++) {
      out[at] = formula(a[at * i], b[at * j], c[at * k]);
    }
  }
  return out;
}

/** Tangents by the chain rule: the sum of what each operand with a tangent contributes. */
export function jvpElementwise<P extends object>(
  primitive: Primitive<P>,
  inputs: readonly Array[],
  tangents: readonly Tangent[],
  params: P,
  derivatives: readonly Derivative[],
): Linearized {
  const output = bindOne(primitive, inputs, params);
  let total: Tangent = null;
  tangents.forEach((tangent, index) => {
    const derivative = derivatives[index];
    if (tangent !== null && derivative !== undefined) {
      total = addTangents(total, derivative(tangent, output, ...inputs));
    }
  });
  return { outputs: [output], tangents: [total === null ? null : expandTo(total, output.shape)] };
}

export const addTangents = (a: Tangent, b: Tangent): Tangent => (a === null ? b : b === null ? a : a.add(b));

/** A scalar where the whole shape is wanted. */
export const expandTo = (array: Array, shape: Shape): Array =>
  array.ndim === shape.length ? array : bindOne(broadcast, [array], { shape, axes: [] });

/** The cotangent of an operand that was a scalar among larger ones: the sum over all elements. */
export const reduceTo = (cotangent: Array, type: ArrayType): Array =>
  type.shape.length === cotangent.ndim ? cotangent : cotangent.sum();

/** Gives every operand with a shape of its own the batch axis; scalars that are the same for all stay. */
export function batchElementwise<P extends object>(
  primitive: Primitive<P>,
  inputs: readonly Array[],
  batched: readonly boolean[],
  params: P,
  size: number,
): Batched {
  const aligned = alignBatch(inputs, batched, size);
  return { outputs: [bindOne(primitive, aligned, params)], batched: [true] };
}

export function alignBatch(inputs: readonly Array[], batched: readonly boolean[], size: number): Array[] {
  const ranks = inputs.map((input, index) => input.ndim - (batched[index] ? 1 : 0));
  const largest = ranks.indexOf(Math.max(...ranks));
  const inner = inputs[largest].shape.slice(batched[largest] ? 1 : 0);
  const shape = [size, ...inner];
  return inputs.map((input, index) => {
    const axes = batched[index] ? [0] : [];
    if (ranks[index] === inner.length) {
      if (batched[index] || inner.length === 0) return input;
      axes.push(...range(inner.length, 1));
    } else if (!batched[index]) return input;
    return bindOne(broadcast, [input], { shape, axes });
  });
}
