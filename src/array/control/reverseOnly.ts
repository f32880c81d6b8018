// The derivative of a function whose user gave the way back alone: linear, known by its transpose only.
import type { Array } from "../core/array.js";
import { fail } from "../core/errors.js";
import { keepAxes, otherAxes } from "../core/namedAxes.js";
import type { Primitive } from "../core/primitive.js";
import type { Program } from "../core/program.js";
import { bind, inline } from "../core/trace.js";
import type { ArrayType } from "../core/type.js";
import { instantiate, repeatBatch } from "../primitives/linear.js";
import { batchType } from "../transforms/batch.js";
import { batchAll } from "./call.js";

export interface ReverseOnlyParams {
  readonly name: string;
  /** How many inputs, in front, are what the forward pass kept; the others are tangents. */
  readonly residuals: number;
  /** The types of the tangents that come out. */
  readonly types: readonly ArrayType[];
  /** Takes the residuals and the cotangents of the results; returns the cotangents of the tangents. */
  readonly backward: () => Program;
  /** The named axes that the way back may work along. */
  readonly axes: readonly string[];
}

/** Refuses a program that would need the derivative forwards. */
export const refuseForward = ({ name }: ReverseOnlyParams): never =>
  fail(
    name,
    "it has a rule for reverse mode only (customVjp), but a derivative was wanted forwards, by jvp, linearize, jacfwd " +
      "or hessian; use vjp, grad or jacrev, or give it a rule with customJvp, which serves both",
  );

export const reverseOnly: Primitive<ReverseOnlyParams> = {
  name: "reverseOnly",
  infer: (_inputs, { types }) => [...types],
  evaluate: (_inputs, params) => refuseForward(params),
  jvp: (_inputs, _tangents, params) => refuseForward(params),
  transpose(cotangents, known, _types, { residuals, types, backward }) {
    const kept = known.slice(0, residuals) as Array[];
    const cts = types.map((type, index) => instantiate(cotangents[index] ?? null, type));
    return [...kept.map(() => null), ...inline(backward(), [...kept, ...cts])];
  },
  batch(inputs, batched, params, size) {
    const { residuals, types, backward } = params;
    const later = keepAxes();
    // Every tangent gets the batch axis; where it is shared, the way back sums over it.
    const whole = inputs.map((input, index) =>
      index < residuals || batched[index] ? input : repeatBatch(input, size),
    );
    const outputs = bind(reverseOnly, whole, {
      ...params,
      types: types.map((type) => batchType(type, size)),
      backward: () =>
        later(() => batchAll(backward(), [...batched.slice(0, residuals), ...types.map(() => true)], size)),
      axes: otherAxes(params.axes),
    });
    return { outputs, batched: outputs.map(() => true) };
  },
  axes: ({ axes }) => axes,
};
