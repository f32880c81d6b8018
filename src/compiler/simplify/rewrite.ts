// Algebra on single equations: identities that hold to the last bit.
import {
  mulPrimitive,
  sizeOf,
  type Atom,
  type Equation,
  type PadParams,
  type Variable,
} from "../../array/index.js";
import type { PrimitiveName } from "../primitives/index.js";

/** What an equation may become: an atom that has its value already, or a simpler equation. */
export type Replacement = Atom | { readonly kind: "equation"; readonly equation: Equation };

type Definition = (variable: Variable) => Equation | undefined;
type Rule = (equation: Equation, define: Definition) => Replacement | null;

const isLiteral = (atom: Atom | undefined, value: number): boolean =>
  atom?.kind === "literal" && atom.value === value && !Object.is(atom.value, -0);

const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((extent, axis) => extent === b[axis]);

/** The operand, if it has the type of the result: dropping the operation must not lose a broadcast. */
function operand(equation: Equation, index: number): Atom | null {
  const input = equation.inputs[index];
  const output = equation.outputs[0];
  return input.type.dtype === output.type.dtype && sameShape(input.type.shape, output.type.shape)
    ? input
    : null;
}

const whenRightIs =
  (value: number): Rule =>
  (equation) =>
    isLiteral(equation.inputs[1], value) ? operand(equation, 0) : null;

/** The equation that defines an input, if it is of the given primitive. */
function producer(atom: Atom | undefined, name: PrimitiveName, define: Definition): Equation | null {
  const equation = atom?.kind === "variable" ? define(atom) : undefined;
  return equation?.primitive.name === name ? equation : null;
}

const unlessFloat =
  (rule: Rule): Rule =>
  (equation, define) =>
    equation.outputs[0].type.dtype.startsWith("float") ? null : rule(equation, define);

/** x · 1 and 1 · x. */
const unitProduct: Rule = (equation) =>
  isLiteral(equation.inputs[1], 1)
    ? operand(equation, 0)
    : isLiteral(equation.inputs[0], 1)
      ? operand(equation, 1)
      : null;

const sameTypeIsNothing: Rule = (equation) => operand(equation, 0);

/** What is reshaped, concatenated and reshaped again, as `stack` does, if the same comes of concatenating it as it is. */
const joinedAsTheyWere: Rule = (equation, define) => {
  const joined = producer(equation.inputs[0], "concatenate", define);
  const parts = joined?.inputs.map((input) => producer(input, "reshape", define)?.inputs[0]) ?? [];
  const isKnown = (atom: Atom | undefined): atom is Atom => atom !== undefined;
  if (joined === null || !parts.every(isKnown)) return null;
  const [{ type }] = equation.outputs;
  const { axis } = joined.params as { readonly axis: number };
  const before = sizeOf(joined.outputs[0].type.shape.slice(0, axis));
  const ownAxis = type.shape.findIndex(
    (_, at) =>
      sizeOf(type.shape.slice(0, at)) === before &&
      parts.every((part) => sameShape(part.type.shape.toSpliced(at, 1), type.shape.toSpliced(at, 1))),
  );
  return ownAxis < 0
    ? null
    : {
        kind: "equation",
        equation: { ...joined, inputs: parts, outputs: equation.outputs, params: { axis: ownAxis } },
      };
};

const rules: Partial<Record<PrimitiveName, Rule>> = {
  mul: unitProduct,
  dot: (equation) =>
    equation.inputs.some(({ type }) => type.shape.length === 0)
      ? { kind: "equation", equation: { ...equation, primitive: mulPrimitive, params: {} } }
      : null,
  div: whenRightIs(1),
  sub: whenRightIs(0),
  // For floats x + 0 is not x where x is -0.
  add: unlessFloat(whenRightIs(0)),
  or: whenRightIs(0),
  xor: whenRightIs(0),
  shiftLeft: whenRightIs(0),
  shiftRightLogical: whenRightIs(0),
  shiftRightArithmetic: whenRightIs(0),
  convert: sameTypeIsNothing,
  bitcast: sameTypeIsNothing,
  stopGradient: sameTypeIsNothing,
  gammaSample: sameTypeIsNothing,
  // Those that matter have been read when the program was split over devices.
  shardingConstraint: sameTypeIsNothing,
  broadcast: sameTypeIsNothing,
  slice: sameTypeIsNothing,
  dynamicSlice: sameTypeIsNothing,

  neg: (equation, define) => producer(equation.inputs[0], "neg", define)?.inputs[0] ?? null,
  not: (equation, define) => producer(equation.inputs[0], "not", define)?.inputs[0] ?? null,
  pad(equation) {
    const { low, high, interior } = equation.params as PadParams;
    return [...low, ...high, ...interior].every((by) => by === 0) ? operand(equation, 0) : null;
  },
  concatenate: (equation) => (equation.inputs.length === 1 ? operand(equation, 0) : null),

  select(equation) {
    const [predicate, x, y] = equation.inputs;
    if (predicate?.kind === "literal") return operand(equation, predicate.value !== 0 ? 1 : 2);
    return x === y && x !== undefined ? operand(equation, 1) : null;
  },

  reshape(equation, define) {
    const same = operand(equation, 0);
    if (same !== null) return same;
    const inner = producer(equation.inputs[0], "reshape", define);
    return inner === null
      ? joinedAsTheyWere(equation, define)
      : { kind: "equation", equation: { ...equation, inputs: inner.inputs } };
  },

  transpose(equation, define) {
    const { permutation } = equation.params as { readonly permutation: readonly number[] };
    if (permutation.every((axis, at) => axis === at)) return equation.inputs[0];
    const inner = producer(equation.inputs[0], "transpose", define);
    if (inner === null) return null;
    const { permutation: first } = inner.params as { readonly permutation: readonly number[] };
    const combined = { permutation: permutation.map((axis) => first[axis]) };
    return {
      kind: "equation",
      equation: { ...equation, inputs: inner.inputs, params: combined },
    };
  },
};

const byName = new Map(Object.entries(rules));

/** A simpler way to the same value, or null. */
export function rewrite(equation: Equation, define: Definition): Replacement | null {
  return byName.get(equation.primitive.name)?.(equation, define) ?? null;
}
