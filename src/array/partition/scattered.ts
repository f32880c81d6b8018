// Sums of which each device uses a share only: the others need not have it.
import {
  mapSubPrograms,
  newVariable,
  type Atom,
  type Equation,
  type Program,
  type Variable,
} from "../core/program.js";
import { psum, psumScatter, type CollectiveParams, type TiledParams } from "../primitives/collectives.js";
import { concatenate } from "../primitives/concatenate.js";
import { dynamicSlice } from "../primitives/dynamicSlice.js";
import { reshape } from "../primitives/reshape.js";
import { countOf, type AxisSizes } from "./layouts.js";

/** The program with sums scattered that lie in one vector, of which all that is used is the device's own share. */
export function scatterSums(program: Program, sizes: AxisSizes): Program {
  const uses = new Map<Atom, number>();
  const count = (atom: Atom) => uses.set(atom, (uses.get(atom) ?? 0) + 1);
  program.equations.forEach(({ inputs }) => inputs.forEach(count));
  program.outputs.forEach(count);
  const makers = new Map<Atom, Equation>();
  for (const one of program.equations) for (const output of one.outputs) makers.set(output, one);
  const dropped = new Set<Equation>();
  const found = new Map<Equation, readonly Equation[]>();
  for (const equation of program.equations) {
    const axes = ownShareOf(equation, makers, sizes);
    if (axes === null) continue;
    const vector = partsOf(equation.inputs[0], axes, makers, uses);
    if (vector === null) continue;
    vector.dropped.forEach((one) => dropped.add(one));
    const params: TiledParams = { axes, axis: 0, size: countOf(axes, sizes) };
    found.set(equation, [
      ...vector.equations,
      { ...equation, primitive: psumScatter, params, inputs: [vector.value] },
    ]);
  }
  const equations = program.equations
    .filter((one) => !dropped.has(one))
    .flatMap((one) => found.get(one) ?? [mapSubPrograms(one, (inner) => scatterSums(inner, sizes))]);
  return { ...program, equations };
}

/** A value of which devices have parts, and what makes it of theirs; and what made the whole. */
interface Parts {
  readonly value: Atom;
  readonly equations: readonly Equation[];
  readonly dropped: readonly Equation[];
}

/** The parts of a value that is a sum over devices, or several of them and zeros one behind the other; null for others. */
function partsOf(
  value: Atom,
  axes: readonly string[],
  makers: ReadonlyMap<Atom, Equation>,
  uses: ReadonlyMap<Atom, number>,
): Parts | null {
  const maker = makers.get(value);
  if (maker === undefined) return null;
  const { primitive, params, inputs, outputs } = maker;
  if (isZero(maker)) return { value, equations: [], dropped: [] };
  if (uses.get(value) !== 1 || outputs.length !== 1) return null;
  if (primitive === psum)
    return (params as CollectiveParams).axes.join() === axes.join()
      ? { value: inputs[0], equations: [], dropped: [maker] }
      : null;
  if (primitive !== reshape && primitive !== concatenate) return null;
  const parts = inputs.map((input) => partsOf(input, axes, makers, uses));
  if (!parts.every((part) => part !== null) || parts.every(({ dropped }) => dropped.length === 0))
    return null;
  const output: Variable = newVariable(outputs[0].type);
  const made = { ...maker, inputs: parts.map((part) => part.value), outputs: [output] };
  return {
    value: output,
    equations: [...parts.flatMap(({ equations }) => equations), made],
    dropped: [...parts.flatMap((part) => part.dropped), maker],
  };
}

const isZero = ({ primitive, inputs: [input] }: Equation): boolean =>
  primitive.name === "broadcast" && input.kind === "literal" && input.value === 0;

/** The axes along which an equation takes the device's own share of a vector; null where it does something else. */
function ownShareOf(
  { primitive, inputs, outputs }: Equation,
  makers: ReadonlyMap<Atom, Equation>,
  sizes: AxisSizes,
): readonly string[] | null {
  if (primitive !== dynamicSlice || inputs.length !== 2) return null;
  const [share] = outputs[0].type.shape;
  const axes = placeTimes(inputs[1], share, makers);
  return axes !== null && share * countOf(axes, sizes) === inputs[0].type.shape[0] ? axes : null;
}

/** The axes along which a number is the device's place, times a factor. */
function placeTimes(
  atom: Atom,
  factor: number,
  makers: ReadonlyMap<Atom, Equation>,
): readonly string[] | null {
  const maker = makers.get(atom);
  if (maker === undefined) return null;
  const { primitive, params, inputs } = maker;
  if (primitive.name === "axisIndex") return factor === 1 ? (params as CollectiveParams).axes : null;
  if (primitive.name !== "mul") return null;
  const [place, by] = inputs[0].kind === "literal" ? [inputs[1], inputs[0]] : inputs;
  return by.kind === "literal" && factor % by.value === 0
    ? placeTimes(place, factor / by.value, makers)
    : null;
}
