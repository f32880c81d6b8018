// How reading and writing at computed indices is split. A dimension that is indexed can be split, too: each device
// looks after the indices that fall into its block.
import type { Array } from "../core/array.js";
import type { DType } from "../core/dtype.js";
import { constant } from "../core/interpret.js";
import type { Primitive } from "../core/primitive.js";
import { range } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import type { ArrayType } from "../core/type.js";
import { stack } from "../np/joining.js";
import { maximum, minimum } from "../np/elementwise.js";
import { psum, type CollectiveParams } from "../primitives/collectives.js";
import { bitcast } from "../primitives/convert.js";
import { gather, scatter, type GatherParams, type ScatterParams } from "../primitives/gather.js";
import { indexLayout } from "../primitives/indexLayout.js";
import type { Split, SplitRule } from "./splitRule.js";

/** Numbers of factors: shared leading dimensions, positions, indexed dimensions, the rest. */
function factorsOf(operand: ArrayType, indices: ArrayType, params: GatherParams) {
  const { batch, positions, indexed, rest } = indexLayout("gather", operand, indices, params);
  const lists: number[][] = [];
  let next = 0;
  for (const { length } of [batch, positions, indexed, rest]) {
    lists.push(range(length, next));
    next += length;
  }
  const [shared, places, looked, others] = lists;
  return { shared, places, looked, others, indexed };
}

/** Indices as this device's block of the operand has them; those of other blocks are outside. */
function ownIndices(
  indices: Array,
  looked: readonly number[],
  indexed: readonly number[],
  mode: GatherParams["mode"],
  { startOf, axesOf }: Split,
): Array {
  const last = stack(indexed.map((extent) => constant(extent - 1, "int32")));
  const inside = mode === "clip" ? minimum(maximum(indices, 0), last) : indices;
  const starts = looked.map((factor, at) =>
    axesOf(factor).length === 0 ? constant(0, "int32") : startOf(factor, indexed[at]),
  );
  return inside.sub(stack(starts));
}

const isSplit = (looked: readonly number[], { axesOf }: Split): boolean =>
  looked.some((factor) => axesOf(factor).length > 0);

/** Bools are combined as words, which are exchanged like any others. */
export const asWords: NonNullable<SplitRule["wrap"]> = {
  before: (part) => part.astype("int32"),
  after: (whole) => whole.astype("bool"),
};

/** How parts come together of which one device has an element and the others zero: sums of bits keep it exactly. */
export const exactSum = (
  dtype: DType,
): { readonly collective: Primitive<CollectiveParams> } & Pick<SplitRule, "wrap"> => ({
  collective: psum,
  ...(dtype === "float32" && {
    wrap: {
      before: (part: Array) => bindOne(bitcast, [part], { dtype: "int32" }),
      after: (sum: Array) => bindOne(bitcast, [sum], { dtype: "float32" }),
    },
  }),
  ...(dtype === "bool" && { wrap: asWords }),
});

export function gatherRule([operand, indices]: readonly ArrayType[], params: GatherParams): SplitRule {
  const { shared, places, looked, others, indexed } = factorsOf(operand, indices, params);
  const { collective, ...form } = exactSum(operand.dtype);
  return {
    operands: [
      [...shared, ...looked, ...others],
      [...shared, ...places, null],
    ],
    results: [[...shared, ...places, ...others]],
    combine: new Map(looked.map((factor) => [factor, collective])),
    shared: [1],
    apply: ([x, at], split) => {
      if (!isSplit(looked, split)) return [bindOne(gather, [x, at], params)];
      const own = ownIndices(at, looked, indexed, params.mode, split);
      return [bindOne(gather, [x, own], { ...params, mode: "drop" })];
    },
    ...form,
  };
}

export function scatterRule([operand, , indices]: readonly ArrayType[], params: ScatterParams): SplitRule {
  const { shared, places, looked, others, indexed } = factorsOf(operand, indices, params);
  return {
    operands: [
      [...shared, ...looked, ...others],
      [...shared, ...places.map(() => null), ...others],
      [...shared, ...places.map(() => null), null],
    ],
    results: [[...shared, ...looked, ...others]],
    apply: ([x, updates, at], split) => {
      if (!isSplit(looked, split)) return [bindOne(scatter, [x, updates, at], params)];
      const own = ownIndices(at, looked, indexed, params.mode, split);
      return [bindOne(scatter, [x, updates, own], { ...params, mode: "drop" })];
    },
  };
}
