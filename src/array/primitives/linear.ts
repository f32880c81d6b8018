// Primitives that are linear in their first operands: their derivative is themselves, applied to tangents.
import type { Array } from "../core/array.js";
import { constant } from "../core/interpret.js";
import type { Linearized, Primitive, Tangent } from "../core/primitive.js";
import { range } from "../core/shape.js";
import { bind, bindOne } from "../core/trace.js";
import type { ArrayType } from "../core/type.js";
import { broadcast } from "./broadcast.js";

/** A transpose rule of a primitive with one result: its cotangent is there whenever the rule is asked. */
export type TransposeOne<P extends object> = (
  cotangent: Array,
  known: readonly (Array | null)[],
  types: readonly ArrayType[],
  params: P,
) => Tangent[];

type LinearRules<P extends object> = Omit<Primitive<P>, "jvp" | "transpose"> & {
  readonly transpose: TransposeOne<P>;
};

/**
 * A primitive that is linear in its first `operands` inputs together (further inputs, such as indices, have
 * no derivative) and has one result.
 */
export function linearPrimitive<P extends object>(rules: LinearRules<P>, operands = 1): Primitive<P> {
  const primitive: Primitive<P> = {
    ...rules,
    transpose: transposeOne(rules.transpose),
    jvp: (inputs, tangents, params) => jvpLinear(primitive, operands, inputs, tangents, params),
  };
  return primitive;
}

/** A transpose rule for one result as the general one. */
export function transposeOne<P extends object>(rule: TransposeOne<P>): Required<Primitive<P>>["transpose"] {
  return ([cotangent], known, types, params) => rule(cotangent as Array, known, types, params);
}

/** The tangent of a primitive that is linear in its first `operands` inputs together. */
export function jvpLinear<P extends object>(
  primitive: Primitive<P>,
  operands: number,
  inputs: readonly Array[],
  tangents: readonly Tangent[],
  params: P,
): Linearized {
  const moving = tangents.slice(0, operands);
  const directions = inputs.map((input, index) =>
    index < operands ? instantiate(moving[index] ?? null, input.type) : input,
  );
  return {
    outputs: bind(primitive, inputs, params),
    tangents: [moving.some((tangent) => tangent !== null) ? bindOne(primitive, directions, params) : null],
  };
}

/** An array of zeros of a type. */
export const zeros = ({ shape, dtype }: ArrayType): Array => {
  const zero = constant(0, dtype);
  return shape.length === 0 ? zero : bindOne(broadcast, [zero], { shape, axes: [] });
};

/** A tangent, a computed zero where it was left out. */
export const instantiate = (tangent: Tangent, type: ArrayType): Array => tangent ?? zeros(type);

/** An array that is the same for all of a batch, with the batch axis it lacks. */
export const repeatBatch = (x: Array, size: number): Array =>
  bindOne(broadcast, [x], { shape: [size, ...x.shape], axes: range(x.ndim, 1) });
