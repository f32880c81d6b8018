// Choosing between two arrays element by element.
import type { Array } from "../core/array.js";
import { dtypes } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import type { Primitive } from "../core/primitive.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType, type ArrayType } from "../core/type.js";
import {
  applyFormula,
  batchElementwise,
  checkArity,
  checkDType,
  commonShape,
  expandTo,
  reduceTo,
} from "./elementwise.js";
import { transposeOne } from "./linear.js";

/** `select(predicate, onTrue, onFalse)`. */
export const select: Primitive = {
  name: "select",
  infer(inputs) {
    checkArity("select", inputs, 3);
    const [predicate, ...cases] = inputs as [ArrayType, ArrayType, ArrayType];
    if (predicate.dtype !== "bool") fail("select", `the predicate must be bool, got ${showType(predicate)}`);
    const dtype = checkDType("select", cases, dtypes);
    return [
      arrayType(
        commonShape("select", inputs),
        dtype,
        cases.every((type) => type.weak),
      ),
    ];
  },
  evaluate: (inputs, _params, [output]) => [applyFormula((p, x, y) => (p !== 0 ? x : y), inputs, output)],
  jvp(inputs, [, onTrue, onFalse]) {
    const [predicate, x] = inputs as [Array, Array];
    const output = bindOne(select, inputs, {});
    const tangent =
      onTrue || onFalse
        ? choose(predicate, onTrue ?? constant(0, x.dtype), onFalse ?? constant(0, x.dtype))
        : null;
    return { outputs: [output], tangents: [tangent && expandTo(tangent, output.shape)] };
  },
  transpose: transposeOne((ct, [predicate, x, y], types) => {
    const mask = predicate as Array;
    const zero = constant(0, ct.dtype);
    return [
      null,
      x === null ? reduceTo(choose(mask, ct, zero), types[1]) : null,
      y === null ? reduceTo(choose(mask, zero, ct), types[2]) : null,
    ];
  }),
  batch: (inputs, batched, params, size) => batchElementwise(select, inputs, batched, params, size),
};

/** `onTrue` where the predicate holds, `onFalse` elsewhere; scalars go with any shape. */
export const choose = (predicate: Array, onTrue: Array, onFalse: Array): Array =>
  bindOne(select, [predicate, onTrue, onFalse], {});
