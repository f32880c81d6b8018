// Joining arrays along an axis.
import { allocate, dtypes } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import type { Primitive } from "../core/primitive.js";
import { replaceAt, sameShape, sizeOf, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType, type ArrayType } from "../core/type.js";
import { checkDType } from "./elementwise.js";
import { linearPrimitive, repeatBatch } from "./linear.js";
import { slice } from "./slice.js";

/** Operands one after the other along `axis`. */
export const concatenate: Primitive<{ readonly axis: number }> = linearPrimitive(
  {
    name: "concatenate",
    infer(inputs, { axis }) {
      const dtype = checkDType("concatenate", inputs, dtypes);
      const [first] = inputs as [ArrayType];
      const along = (type: ArrayType) => type.shape[axis];
      if (
        inputs.some((input) => !sameShape(replaceAt(input.shape, axis, 0), replaceAt(first.shape, axis, 0)))
      ) {
        fail(
          "concatenate",
          `shapes must agree except along axis ${axis}, got ${inputs.map(showType).join(" and ")}`,
        );
      }
      const shape = replaceAt(
        first.shape,
        axis,
        inputs.reduce((sum, input) => sum + along(input), 0),
      );
      return [
        arrayType(
          shape,
          dtype,
          inputs.every((input) => input.weak),
        ),
      ];
    },
    evaluate(inputs, { axis }, [output]) {
      const { shape, dtype } = output;
      const out = allocate(dtype, sizeOf(shape));
      const block = (of: Shape) => sizeOf(of.slice(axis));
      let offset = 0;
      for (const input of inputs) {
        const from = input.elements;
        const length = block(input.shape);
        for (let row = 0; row * length < from.length; row++) {
          out.set(from.subarray(row * length, (row + 1) * length), row * block(shape) + offset);
        }
        offset += length;
      }
      return [out];
    },
    transpose(ct, known, types, { axis }) {
      let from = 0;
      return known.map((value, index) => {
        const start = replaceAt(
          ct.shape.map(() => 0),
          axis,
          from,
        );
        from += types[index].shape[axis];
        if (value !== null) return null;
        const limit = replaceAt(ct.shape, axis, from);
        return bindOne(slice, [ct], { start, limit, step: ct.shape.map(() => 1) });
      });
    },
    batch: (inputs, batched, { axis }, size) => ({
      outputs: [
        bindOne(
          concatenate,
          inputs.map((input, index) => (batched[index] ? input : repeatBatch(input, size))),
          { axis: axis + 1 },
        ),
      ],
      batched: [true],
    }),
  },
  Infinity,
);
