// How reading and writing a block at a computed place is split. The one dimension that the block does not cover can be
// split, too: each device looks after the rows of the block that fall into its own rows, at the cost of the block.
import type { Array } from "../core/array.js";
import { constant } from "../core/interpret.js";
import { range, replaceAt, type Shape } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, type ArrayType } from "../core/type.js";
import { maximum, minimum } from "../np/elementwise.js";
import { dynamicSlice, dynamicUpdateSlice } from "../primitives/dynamicSlice.js";
import { iota } from "../primitives/iota.js";
import { zeros } from "../primitives/linear.js";
import { choose } from "../primitives/select.js";
import { pad } from "../primitives/slice.js";
import { exactSum } from "./indexRules.js";
import type { Factor, Split, SplitRule } from "./splitRule.js";

/** Where two shapes differ. */
export const cutDimensions = (from: Shape, to: Shape): number[] =>
  range(from.length).filter((dimension) => from[dimension] !== to[dimension]);

/** A factor of its own for each dimension; those of `odd` are whole. */
const ownFactors = (shape: Shape, odd: readonly number[]): Factor[] =>
  range(shape.length).map((dimension) => (odd.includes(dimension) ? null : dimension));

/** Where a block of rows lies, seen from the rows of one device. */
interface Overlap {
  readonly dimension: number;
  /** How many rows are looked at: enough for all that the block and the device have in common. */
  readonly count: number;
  /** The first of them on the device. */
  readonly place: Array;
  /** Where the block begins on the device, which may be before its first row or behind its last. */
  readonly own: Array;
}

const clamp = (x: Array, least: number, most: number): Array =>
  minimum(maximum(x, constant(least, "int32")), constant(most, "int32"));

function overlapOf(
  rows: { readonly dimension: number; readonly extent: number; readonly size: number },
  start: Array,
  block: Shape,
  split: Split,
): Overlap {
  const { dimension, extent, size } = rows;
  const own = clamp(start, 0, extent - size).sub(split.startOf(dimension, extent));
  const count = Math.min(size, block[dimension]);
  return { dimension, count, place: clamp(own, 0, block[dimension] - count), own };
}

/** Rows `from` to `from + count` of an array, which may reach beyond both of its ends: there it is continued by zeros. */
function rowsFrom(x: Array, from: Array, count: number, dimension: number): Array {
  const length = x.shape[dimension];
  const beside = replaceAt(
    x.shape.map(() => 0),
    dimension,
    count,
  );
  const zero = zeros(arrayType([], x.dtype));
  const padded = bindOne(pad, [x, zero], { low: beside, high: beside, interior: x.shape.map(() => 0) });
  const start = clamp(from, -count, length).add(constant(count, "int32"));
  const starts = x.shape.map((_, at) => (at === dimension ? start : constant(0, "int32")));
  return bindOne(dynamicSlice, [padded, ...starts], { sizes: replaceAt(x.shape, dimension, count) });
}

export function dynamicSliceRule(
  [x, ...starts]: readonly ArrayType[],
  _params: object,
  [output]: readonly ArrayType[],
): SplitRule {
  const cut = cutDimensions(x.shape, output.shape);
  const whole: Pick<SplitRule, "operands" | "results" | "apply"> = {
    operands: [ownFactors(x.shape, cut), ...starts.map(() => [])],
    results: [ownFactors(output.shape, cut)],
    apply: (blocks, { outputs: [block] }) => [bindOne(dynamicSlice, blocks, { sizes: block.shape })],
  };
  if (cut.length !== 1) return whole;
  const [dimension] = cut;
  const [size, extent] = [output.shape[dimension], x.shape[dimension]];
  const { collective, ...form } = exactSum(x.dtype);
  return {
    ...whole,
    operands: [ownFactors(x.shape, []), ...starts.map(() => [])],
    combine: new Map([[dimension, collective]]),
    apply: (blocks, split) => {
      const [block, ...places] = blocks;
      const sizes = split.outputs[0].shape;
      if (split.axesOf(dimension).length === 0) return [bindOne(dynamicSlice, blocks, { sizes })];
      const { count, place, own } = overlapOf(
        { dimension, extent, size },
        places[dimension],
        block.shape,
        split,
      );
      const read = bindOne(dynamicSlice, [block, ...replaceAt(places, dimension, place)], {
        sizes: replaceAt(sizes, dimension, count),
      });
      return [rowsFrom(read, own.sub(place), size, dimension)];
    },
    ...form,
  };
}

export function dynamicUpdateSliceRule(
  [x, update, ...starts]: readonly ArrayType[],
  _params: object,
  [output]: readonly ArrayType[],
): SplitRule {
  const cut = cutDimensions(x.shape, update.shape);
  const isOne = cut.length === 1;
  const target = ownFactors(x.shape, isOne ? [] : cut);
  const operands = [target, ownFactors(update.shape, cut), ...starts.map(() => [])];
  const results = [ownFactors(output.shape, isOne ? [] : cut)];
  if (!isOne) return { operands, results };
  const [dimension] = cut;
  const [size, extent] = [update.shape[dimension], x.shape[dimension]];
  return {
    operands,
    results,
    apply: (blocks, split) => {
      const [block, rows, ...places] = blocks;
      if (split.axesOf(dimension).length === 0) return [bindOne(dynamicUpdateSlice, blocks, {})];
      const { count, place, own } = overlapOf(
        { dimension, extent, size },
        places[dimension],
        block.shape,
        split,
      );
      const at = replaceAt(places, dimension, place);
      const shape = replaceAt(rows.shape, dimension, count);
      const old = bindOne(dynamicSlice, [block, ...at], { sizes: shape });
      const from = place.sub(own);
      const fresh = size === 1 ? rows : rowsFrom(rows, from, count, dimension);
      const row = bindOne(iota, [], { shape, axis: dimension, dtype: "int32" }).add(from);
      const isOwn = row.greaterEqual(0).and(row.less(size));
      return [bindOne(dynamicUpdateSlice, [block, choose(isOwn, fresh, old), ...at], {})];
    },
  };
}
