// What equations make of pieces of rows that come one after the other. A piece is a part of an axis more, so the rules are those
// by which programs are split over devices.
import type { Array } from "../core/array.js";
import { limitOf, type DType } from "../core/dtype.js";
import { constant } from "../core/interpret.js";
import type { Primitive } from "../core/primitive.js";
import { hasEffect, type Equation, type Program, type Variable } from "../core/program.js";
import { bindOne } from "../core/trace.js";
import * as arithmetic from "../primitives/arithmetic.js";
import { pmax, pmin, psum, type CollectiveParams } from "../primitives/collectives.js";
import { constraintOf } from "./constraints.js";
import { isControl } from "./control.js";
import { blockType } from "./layouts.js";
import { chooseSplits } from "./lower.js";
import { Layouts } from "./propagate.js";
import { applyRule, ruleFor } from "./rules.js";
import type { Factor } from "./splitRule.js";

/** The dimension along which an array is cut; null for one that is whole. */
export type Cut = number | null;

/** How the results of pieces become one. */
export interface Join {
  readonly neutral: (dtype: DType) => number;
  readonly combine: (total: Array, part: Array) => Array;
}

/** What an equation makes of pieces. */
export interface RowRule {
  readonly operands: readonly Cut[];
  readonly results: readonly Cut[];
  /** For sums over rows and the like, whose results have no rows. */
  readonly join: Join | null;
  /** The equation applied to the pieces of a number. */
  readonly apply: (pieces: readonly Array[], index: Array) => readonly Array[];
}

const axis = "pieces";

const joins = new Map<Primitive<CollectiveParams>, Join>([
  [psum, { neutral: () => 0, combine: (total, part) => total.add(part) }],
  [
    pmax,
    {
      neutral: (dtype) => limitOf(dtype, -1),
      combine: (total, part) => bindOne(arithmetic.max, [total, part], {}),
    },
  ],
  [
    pmin,
    {
      neutral: (dtype) => limitOf(dtype, 1),
      combine: (total, part) => bindOne(arithmetic.min, [total, part], {}),
    },
  ],
]);

/** Sums over an axis; others that combine parts find elements in one of them, for which all would be gone through. */
const joining = new Set(["dot", "reduceSum", "reduceMax", "reduceMin"]);
/** Writes: if not in pieces themselves, all of them would be looked at for each piece. */
const writing = new Set(["scatter", "dynamicUpdateSlice"]);

/** The rule of each equation of a program in which the rows of a value are cut; null for one that needs all of them. */
export function rowRules(
  { inputs, equations, outputs }: Program,
  value: Variable,
  count: number,
): (RowRule | null)[] {
  const sizes = new Map([[axis, count]]);
  const layouts = new Layouts(sizes);
  layouts.fix(
    value,
    value.type.shape.map((_, at) => (at === 0 ? [axis] : [])),
  );
  const simple = equations.filter((equation) => !isControl(equation));
  layouts.settle({ inputs, equations: simple, outputs });
  return equations.map((equation) => ruleIn(equation, layouts, sizes));
}

function ruleIn(equation: Equation, layouts: Layouts, sizes: ReadonlyMap<string, number>): RowRule | null {
  if (isControl(equation) || constraintOf(equation) !== null || hasEffect(equation)) return null;
  const rule = ruleFor(equation);
  const [factor] = [...chooseSplits(equation, rule, layouts, sizes)].flatMap(([own, names]) =>
    names.length > 0 ? [own] : [],
  );
  if (factor === undefined) return null;
  const cutOf = (factors: readonly Factor[]): Cut => {
    const found = factors.indexOf(factor);
    return found < 0 ? null : found;
  };
  const { name } = equation.primitive;
  const operands = equation.inputs.map(({ type }, at) =>
    type.shape.length === 0 ? null : cutOf(rule.operands[at]),
  );
  if (writing.has(name) && operands[1] === null) return null;
  const collective = rule.combine?.get(factor);
  if (collective !== undefined && !joining.has(name)) return null;
  const results = rule.results.map(cutOf);
  if (collective === undefined && results.includes(null)) return null;
  const axesOf = (own: Factor) => (own === factor ? [axis] : []);
  const types = equation.outputs.map(({ type }, at) => blockType(type, rule.results[at].map(axesOf), sizes));
  return {
    operands,
    results,
    join: collective === undefined ? null : (joins.get(collective) ?? null),
    apply: (pieces, index) =>
      applyRule(equation, rule, pieces, {
        axesOf,
        startOf: (_own, extent) => index.mul(constant(extent / (sizes.get(axis) as number), "int32")),
        outputs: types,
      }),
  };
}
