// Primitives that are index arithmetic: which element of the operand an element of the result is.
import type { BroadcastParams, Equation, IotaParams, SliceParams, WindowParams } from "../../array/index.js";
import { addIndex, constantIndex, scaleIndex, type Index } from "../fuse/expressions.js";
import { isTrivialReshape } from "../fuse/space.js";
import { view, type PrimitiveEntry, type Written } from "./entry.js";

const always = (): boolean => true;

/** A value as it is. */
const same = view((lowering, { inputs }, indices) => lowering.at(inputs[0], indices), { isAffine: always });

const broadcast: Written = (lowering, { inputs: [x], params }, indices) => {
  const { axes } = params as BroadcastParams;
  const { shape } = x.type;
  return lowering.at(
    x,
    axes.map((axis, at) => (shape[at] === 1 ? constantIndex(0) : indices[axis])),
  );
};

const isTrivial = ({ inputs: [x], outputs: [output] }: Equation): boolean =>
  isTrivialReshape(x.type.shape, output.type.shape);

const reshape: Written = (lowering, equation, indices) => {
  const [x] = equation.inputs;
  const { shape } = equation.outputs[0].type;
  if (isTrivial(equation)) {
    const kept = indices.filter((_, axis) => shape[axis] !== 1);
    let next = 0;
    return lowering.at(
      x,
      x.type.shape.map((extent) => (extent === 1 ? constantIndex(0) : kept[next++])),
    );
  }
  let stride = 1;
  let position = constantIndex(0);
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    position = addIndex(position, scaleIndex(indices[axis], stride));
    stride *= shape[axis];
  }
  return x.kind === "literal" ? lowering.at(x, []) : lowering.linear(x, position);
};

const transpose: Written = (lowering, { inputs: [x], params }, indices) => {
  const { permutation } = params as { readonly permutation: readonly number[] };
  const moved: Index[] = [];
  permutation.forEach((axis, at) => (moved[axis] = indices[at]));
  return lowering.at(x, moved);
};

const flip: Written = (lowering, { inputs: [x], params }, indices) => {
  const { axes } = params as { readonly axes: readonly number[] };
  return lowering.at(
    x,
    indices.map((index, axis) =>
      axes.includes(axis) ? scaleIndex(index, -1, x.type.shape[axis] - 1) : index,
    ),
  );
};

const slice: Written = (lowering, { inputs: [x], params }, indices) => {
  const { start, step } = params as SliceParams;
  return lowering.at(
    x,
    indices.map((index, axis) => scaleIndex(index, step[axis], start[axis])),
  );
};

const window: Written = (lowering, { inputs: [x], params }, indices) => {
  const { axis, stride, dilation } = params as WindowParams;
  const inside = addIndex(scaleIndex(indices[axis], stride), scaleIndex(indices[axis + 1], dilation));
  return lowering.at(x, [...indices.slice(0, axis), inside, ...indices.slice(axis + 2)]);
};

const iota: Written = (lowering, { params, outputs: [output] }, indices) => {
  const { axis } = params as IotaParams;
  return lowering.operation("convert", output.type.dtype, [lowering.build.indexValue(indices[axis])]);
};

const dynamicSlice: Written = (lowering, { inputs: [x, ...starts], params }, indices) => {
  const { sizes } = params as { readonly sizes: readonly number[] };
  return lowering.at(
    x,
    indices.map((index, axis) => {
      const last = x.type.shape[axis] - sizes[axis];
      return last === 0 ? index : addIndex(index, lowering.clamped(lowering.scalar(starts[axis]), last));
    }),
  );
};

export const views = {
  stopGradient: same,
  barrier: same,
  gammaSample: same,
  broadcast: view(broadcast, { isAffine: always, isSpreading: true }),
  reshape: view(reshape, {
    isAffine: isTrivial,
    isRelabelling: true,
    needsMemory: (equation) => !isTrivial(equation),
  }),
  transpose: view(transpose, { isAffine: always }),
  flip: view(flip),
  slice: view(slice, { isAffine: always }),
  window: view(window, { isAffine: always, needsMemory: always }),
  iota: view(iota, { isPositional: true }),
  dynamicSlice: view(dynamicSlice),
} satisfies Record<string, PrimitiveEntry>;
