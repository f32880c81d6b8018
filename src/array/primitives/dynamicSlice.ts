// Reading and writing a block whose place is computed, one int32 scalar per axis.
import type { Array, Concrete } from "../core/array.js";
import { dtypes } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import type { Batched, Primitive } from "../core/primitive.js";
import { range, showShape, stridesOf, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType, type ArrayType } from "../core/type.js";
import { broadcast } from "./broadcast.js";
import { concatenate } from "./concatenate.js";
import { checkDType } from "./elementwise.js";
import { gather, scatter } from "./gather.js";
import { iota } from "./iota.js";
import { linearPrimitive, repeatBatch, zeros } from "./linear.js";
import { permute, permuteBack, reshape } from "./reshape.js";
import { forEachStrided, gatherStrided } from "./strided.js";

function checkBlock(name: string, x: ArrayType, starts: readonly ArrayType[], sizes: Shape): void {
  if (starts.length !== x.shape.length || sizes.length !== x.shape.length) {
    fail(
      name,
      `${showType(x)} needs one start and one size per axis, got ${starts.length} and ${sizes.length}`,
    );
  }
  if (starts.some((start) => start.dtype !== "int32" || start.shape.length > 0)) {
    fail(name, `starts must be int32 scalars, got ${starts.map(showType).join(", ")}`);
  }
  if (sizes.some((extent, axis) => extent > x.shape[axis])) {
    fail(name, `a block of ${showShape(sizes)} does not fit into ${showType(x)}`);
  }
}

/** The block's first element in storage, moved so that the block lies inside. */
function blockOffset(x: ArrayType, starts: readonly Concrete[], sizes: Shape): number {
  const strides = stridesOf(x.shape);
  return starts.reduce((offset, start, axis) => {
    const last = x.shape[axis] - sizes[axis];
    const from = Math.min(Math.max(start.elements[0], 0), last);
    return offset + from * strides[axis];
  }, 0);
}

/** `dynamicSlice(x, ...starts)`: the block of the given sizes at `starts`, moved inside where it sticks out. */
export const dynamicSlice: Primitive<{ readonly sizes: Shape }> = linearPrimitive({
  name: "dynamicSlice",
  infer([x, ...starts], { sizes }) {
    checkBlock("dynamicSlice", x, starts, sizes);
    return [arrayType(sizes, x.dtype, x.weak)];
  },
  evaluate([x, ...starts], { sizes }) {
    const offset = blockOffset(x.type, starts, sizes);
    return [gatherStrided(x.elements, x.dtype, sizes, stridesOf(x.shape), offset)];
  },
  transpose: (ct, [, ...starts], [type]) => [
    bindOne(dynamicUpdateSlice, [zeros(type), ct, ...(starts as Array[])], {}),
    ...starts.map(() => null),
  ],
  batch([input, ...starts], [inputBatched, ...startsBatched], { sizes }, size) {
    const x = inputBatched ? input : repeatBatch(input, size);
    if (!startsBatched.includes(true)) {
      const lead = [x, constant(0, "int32"), ...starts];
      return done(bindOne(dynamicSlice, lead, { sizes: [size, ...sizes] }));
    }
    const { order, indices } = blockIndices(x, starts, startsBatched, sizes, size);
    const block = bindOne(gather, [permute(x, order), indices], {
      batchDims: 1,
      mode: "clip",
    });
    return done(permuteBack(block, order));
  },
});

/** `dynamicUpdateSlice(x, update, ...starts)`: x with the block at `starts` replaced by `update`. */
export const dynamicUpdateSlice: Primitive = linearPrimitive(
  {
    name: "dynamicUpdateSlice",
    infer([x, update, ...starts]) {
      checkDType("dynamicUpdateSlice", [x, update], dtypes);
      checkBlock("dynamicUpdateSlice", x, starts, update.shape);
      return [{ ...x, weak: false }];
    },
    evaluate([x, block, ...starts]) {
      const out = x.elements.slice();
      const from = block.elements;
      const offset = blockOffset(x.type, starts, block.shape);
      forEachStrided(block.shape, stridesOf(x.shape), offset, (target, at) => {
        out[target] = from[at];
      });
      return [out];
    },
    transpose(ct, [x, update, ...starts], types) {
      const places = starts as Array[];
      const { shape } = types[1];
      return [
        x === null ? bindOne(dynamicUpdateSlice, [ct, zeros(types[1]), ...places], {}) : null,
        update === null ? bindOne(dynamicSlice, [ct, ...places], { sizes: shape }) : null,
        ...starts.map(() => null),
      ];
    },
    batch([input, update, ...starts], [inputBatched, updateBatched, ...startsBatched], _params, size) {
      const x = inputBatched ? input : repeatBatch(input, size);
      const block = updateBatched ? update : repeatBatch(update, size);
      if (!startsBatched.includes(true)) {
        return done(bindOne(dynamicUpdateSlice, [x, block, constant(0, "int32"), ...starts], {}));
      }
      const { order, indices } = blockIndices(x, starts, startsBatched, block.shape.slice(1), size);
      const [target, source] = [x, block].map((array) => permute(array, order));
      const written = bindOne(scatter, [target, source, indices], {
        batchDims: 1,
        mode: "clip",
        operation: "set",
      });
      return done(permuteBack(written, order));
    },
  },
  2,
);

const done = (output: Array): Batched => ({ outputs: [output], batched: [true] });

/**
 * Blocks at a place per example, as indices for gather and scatter. `order` brings the batch axis and those
 * axes that a block does not cover whole to the front; only these are indexed.
 */
function blockIndices(
  x: Array,
  starts: readonly Array[],
  startsBatched: readonly boolean[],
  sizes: Shape,
  size: number,
): { readonly order: number[]; readonly indices: Array } {
  const extents = x.shape.slice(1);
  const axes = range(sizes.length);
  const partial = axes.filter((axis) => sizes[axis] !== extents[axis]);
  const whole = axes.filter((axis) => sizes[axis] === extents[axis]);
  const shape = [size, ...partial.map((axis) => sizes[axis])];
  const columns = partial.map((axis, position) => {
    const start = starts[axis].clip(0, extents[axis] - sizes[axis]);
    const first = bindOne(broadcast, [start], { shape, axes: startsBatched[axis] ? [0] : [] });
    const index = first.add(bindOne(iota, [], { shape, axis: position + 1, dtype: "int32" }));
    return bindOne(reshape, [index], { shape: [...shape, 1] });
  });
  const none = () => zeros(arrayType([...shape, 0], "int32"));
  return {
    order: [0, ...partial.map((axis) => axis + 1), ...whole.map((axis) => axis + 1)],
    indices: columns.length === 0 ? none() : bindOne(concatenate, columns, { axis: shape.length }),
  };
}
