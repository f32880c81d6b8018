// Sums of which each device uses a share only: the others need not have it.
import { mapSubPrograms, newVariable, type Atom, type Equation, type Program, type Variable } from "../core/program.js";
import { psum, psumScatter, type CollectiveParams, type TiledParams } from "../primitives/collectives.js";
import { dynamicSlice } from "../primitives/dynamicSlice.js";
import { reshape } from "../primitives/reshape.js";
import { countOf, type AxisSizes } from "./layouts.js";

/** The program with sums scattered of which all that is used is the device's own row, in another shape. */
export function scatterSums(program: Program, sizes: AxisSizes): Program {
  const uses = new Map<Atom, Equation[]>();
  for (const equation of program.equations)
    for (const input of new Set(equation.inputs)) uses.set(input, [...(uses.get(input) ?? []), equation]);
  const results = new Set(program.outputs);
  const makers = new Map(program.equations.flatMap((one) => one.outputs.map((output) => [output as Atom, one] as const)));
  /** The only one that uses a value. */
  const userOf = (value: Variable): Equation | null => {
    const [user = null, ...others] = uses.get(value) ?? [];
    return others.length > 0 || results.has(value) ? null : user;
  };
  const dropped = new Set<Equation>();
  const found = new Map<Equation, readonly Equation[]>();
  for (const equation of program.equations) {
    if (equation.primitive !== psum || equation.outputs.length !== 1) continue;
    const { axes } = equation.params as CollectiveParams;
    const shaping = userOf(equation.outputs[0]);
    const cutting = shaping?.primitive === reshape ? userOf(shaping.outputs[0]) : null;
    if (shaping === null || cutting === null || !isOwnRow(cutting, axes, makers, sizes)) continue;
    const rows = newVariable(shaping.outputs[0].type);
    const params: TiledParams = { axes, axis: 0, size: countOf(axes, sizes) };
    dropped.add(equation).add(shaping);
    found.set(cutting, [
      { ...shaping, inputs: equation.inputs, outputs: [rows] },
      { ...equation, primitive: psumScatter, params, inputs: [rows], outputs: cutting.outputs },
    ]);
  }
  const equations = program.equations
    .filter((one) => !dropped.has(one))
    .flatMap((one) => found.get(one) ?? [mapSubPrograms(one, (inner) => scatterSums(inner, sizes))]);
  return { ...program, equations };
}

/** Whether an equation takes the row of an array that is the device's own, among those along some axes. */
function isOwnRow(
  { primitive, inputs, outputs }: Equation,
  axes: readonly string[],
  makers: ReadonlyMap<Atom, Equation>,
  sizes: AxisSizes,
): boolean {
  if (primitive !== dynamicSlice) return false;
  const [array, first, ...others] = inputs;
  const [count] = array.type.shape;
  const isRow = count === countOf(axes, sizes) && outputs[0].type.shape[0] === 1;
  return isRow && isOwnPlace(first, axes, makers) && others.every((other) => other.kind === "literal");
}

/** Whether a number is the device's place along some axes, maybe times 1. */
function isOwnPlace(atom: Atom, axes: readonly string[], makers: ReadonlyMap<Atom, Equation>): boolean {
  const maker = makers.get(atom);
  if (maker === undefined) return false;
  const { primitive, params, inputs } = maker;
  if (primitive.name === "axisIndex") return (params as CollectiveParams).axes.join() === axes.join();
  return (
    primitive.name === "mul" &&
    inputs.some((input, at) => isOne(inputs[1 - at]) && isOwnPlace(input, axes, makers))
  );
}

const isOne = (atom: Atom | undefined): boolean => atom?.kind === "literal" && Number(atom.value) === 1;
