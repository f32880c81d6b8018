// A program on whole arrays as the program that every device runs on its blocks.
import { itemSize } from "../core/dtype.js";
import { literalArray } from "../core/interpret.js";
import { typesOf, type Atom, type Equation, type Program, type Variable } from "../core/program.js";
import { sizeOf } from "../core/shape.js";
import { bind, inline, replaying, traceClosed } from "../core/trace.js";
import { showType } from "../core/type.js";
import { userLocation } from "../core/userCode.js";
import { wholeLayout, type Layout } from "../sharding/axes.js";
import { constraintOf, type ShardMapParams } from "./constraints.js";
import { isControl, lowerControl } from "./control.js";
import { blockType, countOf, sameLayout, showLayout, type AxisSizes } from "./layouts.js";
import type { Layouts } from "./propagate.js";
import type { Lowering, Placed, Read } from "./lowering.js";
import { blockStart, combineParts, reshard } from "./reshard.js";
import { applyRule, ruleFor } from "./rules.js";
import type { Factor, SplitRule } from "./splitRule.js";

/** The axes that each factor of an equation is split along. */
type Splits = ReadonlyMap<number, readonly string[]>;

/** The program of one device, for inputs and outputs in the given layouts. */
export function lowerProgram(
  program: Program,
  inLayouts: readonly Layout[],
  outLayouts: readonly Layout[],
  parts: Omit<Lowering, "lower">,
): Program {
  const { sizes, layouts } = parts;
  const lowering: Lowering = { ...parts, lower: (...inner) => lowerProgram(...inner, parts) };
  const types = typesOf(program.inputs).map((type, at) => blockType(type, inLayouts[at], sizes));
  return traceClosed(types, (inputs) => {
    const values = new Map<Variable, Placed[]>();
    program.inputs.forEach((variable, at) =>
      values.set(variable, [{ block: inputs[at], layout: inLayouts[at] }]),
    );
    let current: Equation | null = null;
    const read: Read = (atom, layout) => {
      if (atom.kind === "literal") return literalArray(atom);
      const forms = values.get(atom) as Placed[];
      const known = forms.find((form) => sameLayout(form.layout, layout));
      if (known !== undefined) return known.block;
      const [first] = forms;
      const block = reshard(first.block, first.layout, layout, sizes, (names) => {
        lowering.tell(gatherMessage(current, atom, first.layout, layout, names));
      });
      forms.push({ block, layout });
      return block;
    };
    for (const equation of program.equations) {
      current = equation;
      const results = replaying(equation, () => lowerEquation(equation, read, lowering));
      equation.outputs.forEach((output, at) => {
        const { block, layout } = results[at];
        const wanted = layouts.of(output);
        const tell = (names: readonly string[]) =>
          lowering.tell(gatherMessage(equation, output, layout, wanted, names));
        values.set(output, [{ block: reshard(block, layout, wanted, sizes, tell), layout: wanted }]);
      });
    }
    current = null;
    return program.outputs.map((output, at) => read(output, outLayouts[at]));
  });
}

function gatherMessage(
  equation: Equation | null,
  { type }: Atom,
  from: Layout,
  to: Layout,
  names: readonly string[],
): string {
  const place = equation?.origin ? userLocation(equation.origin) : null;
  const reason = equation === null ? "a result" : equation.primitive.name;
  return (
    `${reason}${place === null ? "" : ` at ${place}`} needs ${showType(type)} as ${showLayout(to)}, ` +
    `it is ${showLayout(from)}: gathered along ${names.join(", ")}`
  );
}

function lowerEquation(equation: Equation, read: Read, lowering: Lowering): readonly Placed[] {
  const { primitive, params, inputs } = equation;
  if (isForAll(equation, lowering)) {
    const whole = ({ type }: Atom) => wholeLayout(type.shape.length);
    const blocks = inputs.map((input) => read(input, whole(input)));
    return bind(primitive, blocks, params).map((block, at) => ({
      block,
      layout: whole(equation.outputs[at]),
    }));
  }
  if (isControl(equation)) return lowerControl(equation, read, lowering);
  const constraint = constraintOf(equation);
  if (constraint !== null) {
    const blocks = inputs.map((input, at) => read(input, constraint.inputs[at]));
    const results =
      primitive.name === "shardMap"
        ? inline((params as ShardMapParams).body, blocks)
        : primitive.name === "shardingConstraint"
          ? blocks
          : bind(primitive, blocks, params);
    return constraint.outputs.map((layout, at) => ({ block: results[at], layout }));
  }
  return lowerByRule(equation, ruleFor(equation), read, lowering);
}

/** Whether all devices do an equation as it is. */
const isForAll = (equation: Equation, { layouts }: Lowering): boolean =>
  layouts.isWhole(equation) && (isControl(equation) || ruleFor(equation).apply === undefined);

function lowerByRule(
  equation: Equation,
  rule: SplitRule,
  read: Read,
  { sizes, layouts }: Lowering,
): Placed[] {
  const splits = chooseSplits(equation, rule, layouts, sizes);
  const axesOf = (factor: Factor): readonly string[] => (factor === null ? [] : (splits.get(factor) ?? []));
  const blocks = equation.inputs.map((input, at) =>
    read(input, input.type.shape.length === 0 ? [] : rule.operands[at].map(axesOf)),
  );
  const natural = rule.results.map((factors) => factors.map(axesOf));
  const results = applyRule(equation, rule, blocks, {
    axesOf,
    startOf: (factor, extent) => blockStart(axesOf(factor), extent, sizes),
    outputs: equation.outputs.map(({ type }, at) => blockType(type, natural[at], sizes)),
  });
  const combined = [...(rule.combine ?? [])].filter(([factor]) => axesOf(factor).length > 0);
  if (combined.length === 0) return results.map((block, at) => ({ block, layout: natural[at] }));
  const axes = combined.flatMap(([factor]) => axesOf(factor));
  const [[, collective]] = combined;
  return results.map((part, at) => {
    const wanted = layouts.of(equation.outputs[at]);
    const form = rule.wrap?.before(part) ?? part;
    const { value, layout } = combineParts(form, collective, axes, natural[at], wanted, sizes);
    return { block: rule.wrap?.after(value) ?? value, layout };
  });
}

/**
 * Gives each axis to the factor for which most bytes lie ready: what else has the axis elsewhere is the less to move.
 */
export function chooseSplits(
  equation: Equation,
  rule: SplitRule,
  layouts: Layouts,
  sizes: AxisSizes,
): Splits {
  const bytes = new Map<string, Map<number, number>>();
  const longest = new Map<number, readonly string[]>();
  const extents = new Map<number, number[]>();
  const note = (atoms: readonly Atom[], factors: readonly (readonly Factor[])[]): void =>
    atoms.forEach((atom, at) => {
      const { shape, dtype } = atom.type;
      if (shape.length === 0) return;
      const layout = layouts.ofAtom(atom);
      factors[at].forEach((factor, dimension) => {
        if (factor === null) return;
        extents.set(factor, [...(extents.get(factor) ?? []), shape[dimension]]);
        const names = layout[dimension];
        if (names.length > (longest.get(factor)?.length ?? 0)) longest.set(factor, names);
        for (const name of names) {
          const own = bytes.get(name) ?? new Map<number, number>();
          own.set(factor, (own.get(factor) ?? 0) + sizeOf(shape) * itemSize(dtype));
          bytes.set(name, own);
        }
      });
    });
  note(equation.inputs, rule.operands);
  note(equation.outputs, rule.results);
  const splits = new Map<number, string[]>();
  for (const [name, weights] of bytes) {
    const [[best]] = [...weights].sort(([, a], [, b]) => b - a);
    splits.set(best, [...(splits.get(best) ?? []), name]);
  }
  for (const [factor, names] of splits) {
    const order = longest.get(factor) ?? [];
    const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
    names.sort((a, b) => place(a) - place(b));
    const fits = () => extents.get(factor)?.every((extent) => extent % countOf(names, sizes) === 0);
    while (names.length > 0 && fits() !== true) names.pop();
  }
  return splits;
}
