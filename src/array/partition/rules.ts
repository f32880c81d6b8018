// The split rule of every primitive. One that is not listed needs its operands whole.
import type { Array } from "../core/array.js";
import type { Primitive } from "../core/primitive.js";
import type { Equation } from "../core/program.js";
import { range, type Shape } from "../core/shape.js";
import { bind, bindOne } from "../core/trace.js";
import type { ArrayType } from "../core/type.js";
import * as arithmetic from "../primitives/arithmetic.js";
import { barrier } from "../primitives/barrier.js";
import { broadcast } from "../primitives/broadcast.js";
import { pmax, pmin, psum, type CollectiveParams } from "../primitives/collectives.js";
import { concatenate } from "../primitives/concatenate.js";
import { bitcast, convert, stopGradient } from "../primitives/convert.js";
import { dot, type DotParams } from "../primitives/dot.js";
import { dynamicSlice, dynamicUpdateSlice } from "../primitives/dynamicSlice.js";
import { gather, scatter } from "../primitives/gather.js";
import { iota } from "../primitives/iota.js";
import * as logic from "../primitives/logic.js";
import { argMax, argMin, reduceMax, reduceMin, reduceSum } from "../primitives/reduce.js";
import { flip, reshape, transpose } from "../primitives/reshape.js";
import { select } from "../primitives/select.js";
import { pad, slice } from "../primitives/slice.js";
import { sort } from "../primitives/sort.js";
import { threefry2x32 } from "../primitives/threefry.js";
import * as transcendental from "../primitives/transcendental.js";
import { window, windowSum } from "../primitives/window.js";
import { gammaSample } from "../random/gammaDerivative.js";
import { asWords, gatherRule, scatterRule } from "./indexRules.js";
import { cutDimensions, dynamicSliceRule, dynamicUpdateSliceRule } from "./sliceRules.js";
import type { Factor, SplitRule } from "./splitRule.js";

type RuleOf<P extends object> = (
  inputs: readonly ArrayType[],
  params: P,
  outputs: readonly ArrayType[],
) => SplitRule;

type Rules = Map<Primitive, RuleOf<object>>;

let known: Rules | null = null;

const found = new WeakMap<Equation, SplitRule>();

/** The rule for an equation. */
export function ruleFor(equation: Equation): SplitRule {
  const rule = found.get(equation) ?? makeRule(equation);
  found.set(equation, rule);
  return rule;
}

function makeRule({ primitive, inputs, params, outputs }: Equation): SplitRule {
  const [from, to] = [inputs, outputs].map((list) => list.map(({ type }) => type)) as [
    ArrayType[],
    ArrayType[],
  ];
  const rule = (known ??= makeRules()).get(primitive);
  return rule === undefined ? wholeRule(from, to) : rule(from, params, to);
}

const whole = ({ shape }: ArrayType): Factor[] => shape.map(() => null);

/** Everything as on one device. */
const wholeRule = (inputs: readonly ArrayType[], outputs: readonly ArrayType[]): SplitRule => ({
  operands: inputs.map(whole),
  results: outputs.map(whole),
});

/** A factor of its own for each dimension, null for those of `odd`. */
const ownFactors = (ndim: number, odd: readonly number[] = []): Factor[] =>
  range(ndim).map((dimension) => (odd.includes(dimension) ? null : dimension));

/** Dimensions go through as they are; scalars go with everything. */
const alike: RuleOf<object> = (inputs, _params, outputs) => ({
  operands: inputs.map(({ shape }) => ownFactors(shape.length)),
  results: outputs.map(({ shape }) => ownFactors(shape.length)),
});

/** Dimensions go through as they are but for some that must be whole. */
const alikeBut = (
  inputs: readonly ArrayType[],
  outputs: readonly ArrayType[],
  odd: readonly number[],
): SplitRule => ({
  operands: inputs.map(({ shape }) => ownFactors(shape.length, odd)),
  results: outputs.map(({ shape }) => ownFactors(shape.length, odd)),
});

/**
 * The dimensions of two shapes of one size that can be split alike: both are the outermost of a group of dimensions
 * that hold the same elements.
 */
function majorPairs(from: Shape, to: Shape): [number, number][] {
  const pairs: [number, number][] = [];
  if (from.includes(0)) return pairs;
  let [i, j] = [0, 0];
  while (i < from.length && j < to.length) {
    if (from[i] === 1) i++;
    else if (to[j] === 1) j++;
    else {
      pairs.push([i, j]);
      let [left, right] = [from[i++], to[j++]];
      while (left !== right) {
        if (left < right) left *= from[i++];
        else right *= to[j++];
      }
    }
  }
  return pairs;
}

/** Applies an equation to blocks. */
export const applyRule = (
  { primitive, params }: Equation,
  rule: SplitRule,
  blocks: readonly Array[],
  split: Parameters<NonNullable<SplitRule["apply"]>>[1],
): readonly Array[] => rule.apply?.(blocks, split) ?? bind(primitive, blocks, params);

/** The rules of all primitives that can be split. */
function makeRules(): Rules {
  const rules: Rules = new Map();
  const define = <P extends object>(primitive: Primitive<P>, rule: RuleOf<P>): void =>
    void rules.set(primitive, rule as unknown as RuleOf<object>);

  for (const primitive of [
    ...Object.values(arithmetic),
    ...Object.values(transcendental),
    ...Object.values(logic),
    ...[select, convert, bitcast, stopGradient, threefry2x32, gammaSample, barrier],
  ] as Primitive[]) {
    define(primitive, alike);
  }

  define(flip, (inputs, { axes }, outputs) => alikeBut(inputs, outputs, axes));

  define(concatenate, (inputs, { axis }, outputs) => alikeBut(inputs, outputs, [axis]));

  define(sort, (inputs, { axis }, outputs) => alikeBut(inputs, outputs, [axis]));

  define(iota, (_inputs, { axis, dtype }, [{ shape }]) => ({
    operands: [],
    results: [ownFactors(shape.length)],
    apply: (_blocks, { startOf, axesOf, outputs: [block] }) => {
      const counted = bindOne(iota, [], { shape: block.shape, axis, dtype });
      return [axesOf(axis).length === 0 ? counted : counted.add(startOf(axis, shape[axis]).astype(dtype))];
    },
  }));

  define(broadcast, ([x], { shape, axes }) => ({
    operands: [axes.map((axis, at) => (x.shape[at] === shape[axis] ? axis : null))],
    results: [ownFactors(shape.length)],
    apply: (blocks, { outputs: [block] }) => [bindOne(broadcast, blocks, { shape: block.shape, axes })],
  }));

  define(transpose, ([x], { permutation }) => ({
    operands: [ownFactors(x.shape.length)],
    results: [permutation],
  }));

  define(reshape, ([x], { shape }) => {
    const pairs = majorPairs(x.shape, shape);
    const factors = (ndim: number, side: 0 | 1): Factor[] =>
      range(ndim).map((dimension) => {
        const found = pairs.findIndex((pair) => pair[side] === dimension);
        return found < 0 ? null : found;
      });
    return {
      operands: [factors(x.shape.length, 0)],
      results: [factors(shape.length, 1)],
      apply: (blocks, { outputs: [block] }) => [bindOne(reshape, blocks, { shape: block.shape })],
    };
  });

  define(slice, ([x], { start, limit, step }, [output]) => ({
    ...alikeBut([x], [output], cutDimensions(x.shape, output.shape)),
    apply: (blocks) => {
      // Dimensions that are not cut are as long as the block is.
      const isCut = (dimension: number) => output.shape[dimension] !== x.shape[dimension];
      const ends = limit.map((end, dimension) => (isCut(dimension) ? end : blocks[0].shape[dimension]));
      return [bindOne(slice, blocks, { start, limit: ends, step })];
    },
  }));

  define(pad, ([x, value], { low, high, interior }, outputs) => {
    const padded = range(x.shape.length).filter(
      (at) => low[at] !== 0 || high[at] !== 0 || interior[at] !== 0,
    );
    return alikeBut([x, value], outputs, padded);
  });

  define(dynamicSlice, dynamicSliceRule);

  define(dynamicUpdateSlice, dynamicUpdateSliceRule);

  define(window, ([x], { axis }, [output]) => ({
    operands: [ownFactors(x.shape.length, [axis])],
    results: [
      range(output.shape.length).map((at) =>
        at === axis || at === axis + 1 ? null : at < axis ? at : at - 1,
      ),
    ],
  }));

  define(windowSum, ([x], { axis }, [output]) => ({
    operands: [
      range(x.shape.length).map((at) => (at === axis || at === axis + 1 ? null : at < axis ? at : at - 1)),
    ],
    results: [ownFactors(output.shape.length, [axis])],
  }));

  for (const [primitive, collective] of [
    [reduceSum, psum],
    [reduceMax, pmax],
    [reduceMin, pmin],
  ] as const) {
    define(primitive, ([x], { axes }) => ({
      operands: [ownFactors(x.shape.length)],
      results: [range(x.shape.length).filter((dimension) => !axes.includes(dimension))],
      combine: new Map<number, Primitive<CollectiveParams>>(axes.map((axis) => [axis, collective])),
      ...(x.dtype === "bool" && { wrap: asWords }),
    }));
  }

  for (const primitive of [argMax, argMin]) {
    define(primitive, ([x], { axis }) => ({
      operands: [ownFactors(x.shape.length, [axis])],
      results: [range(x.shape.length).filter((dimension) => dimension !== axis)],
    }));
  }

  define(dot, ([x, y], { contract, batch }: DotParams) => {
    // Numbers: batch pairs, then contracted pairs, then the free dimensions of either side.
    const [left, right]: [Factor[], Factor[]] = [x.shape.map(() => null), y.shape.map(() => null)];
    let next = 0;
    const pair = (pairs: readonly [readonly number[], readonly number[]]): number[] =>
      pairs[0].map((dimension, at) => {
        left[dimension] = next;
        right[pairs[1][at]] = next;
        return next++;
      });
    const batches = pair(batch);
    const contracted = pair(contract);
    const free = (side: Factor[]): number[] =>
      range(side.length)
        .filter((dimension) => side[dimension] === null)
        .map((dimension) => (side[dimension] = next++));
    return {
      operands: [left, right],
      results: [[...batches, ...free(left), ...free(right)]],
      combine: new Map<number, Primitive<CollectiveParams>>(contracted.map((factor) => [factor, psum])),
    };
  });

  define(gather, gatherRule);

  define(scatter, scatterRule);

  return rules;
}
