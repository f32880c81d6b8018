// Changing what elements are taken for: dtype conversion, bit casts, and the identity that stops gradients.
import { allocate, convertNumber, isFloat, itemSize, viewBytes, type DType } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import type { Primitive } from "../core/primitive.js";
import { bindOne } from "../core/trace.js";
import { arrayType } from "../core/type.js";
import { transposeOne } from "./linear.js";

export interface ConvertParams {
  readonly dtype: DType;
  /** Whether the result's dtype still gives way in promotion. */
  readonly weak?: boolean;
}

/** The same values in another dtype; see `convertNumber` for what happens to those that do not fit. */
export const convert: Primitive<ConvertParams> = {
  name: "convert",
  infer: ([x], { dtype, weak = false }) => [arrayType(x.shape, dtype, weak)],
  evaluate([x], { dtype }) {
    const from = x.elements;
    const out = allocate(dtype, from.length);
    for (let at = 0; at < from.length; at++) out[at] = convertNumber(from[at], x.dtype, dtype);
    return [out];
  },
  jvp: (inputs, [t], params) => ({
    outputs: [bindOne(convert, inputs, params)],
    tangents: [t && isFloat(params.dtype) ? bindOne(convert, [t], params) : null],
  }),
  transpose: transposeOne((ct, _known, [type]) => [bindOne(convert, [ct], { dtype: type.dtype })]),
  batch: (inputs, batched, params) => ({ outputs: [bindOne(convert, inputs, params)], batched }),
};

/** The same bits taken for another dtype of the same width. */
export const bitcast: Primitive<{ readonly dtype: DType }> = {
  name: "bitcast",
  infer([x], { dtype }) {
    if (itemSize(x.dtype) !== itemSize(dtype) || x.dtype === "bool" || dtype === "bool") {
      fail("bitcastConvertType", `cannot take the bits of ${x.dtype} for ${dtype}; the widths must be equal`);
    }
    return [arrayType(x.shape, dtype)];
  },
  evaluate([input], { dtype }) {
    const { buffer, byteOffset, length } = input.elements;
    return [viewBytes(dtype, buffer as ArrayBuffer, byteOffset, length)];
  },
  jvp: (inputs, _tangents, params) => ({ outputs: [bindOne(bitcast, inputs, params)], tangents: [null] }),
  batch: (inputs, batched, params) => ({ outputs: [bindOne(bitcast, inputs, params)], batched }),
};

/** The identity, with a derivative of zero. */
export const stopGradient: Primitive = {
  name: "stopGradient",
  infer: ([x]) => [x],
  evaluate: ([x]) => [x.elements],
  jvp: (inputs) => ({ outputs: [bindOne(stopGradient, inputs, {})], tangents: [null] }),
  batch: (inputs, batched) => ({ outputs: [bindOne(stopGradient, inputs, {})], batched }),
};
