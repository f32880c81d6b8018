// From a Program to an ONNX graph, equation by equation. What depends on constants alone is computed here and now.
import {
  concrete,
  fail,
  itemSize,
  viewBytes,
  type Atom,
  type Concrete,
  type Equation,
  type Variable,
} from "../../array/index.js";
import type { KnownProgram } from "../program.js";
import type { Extent, ExtentsOf } from "./extents.js";
import { Graph } from "./graph.js";
import { rules } from "./rules.js";
import { valueOf, whole, type Value } from "./values.js";

export interface Translated {
  readonly graph: Graph;
  readonly inputs: readonly (readonly Extent[])[];
  readonly outputs: readonly (readonly Extent[])[];
}

/** The graph of a program whose inputs, and results, have these names. */
export function translate(
  operation: string,
  { program, constants }: KnownProgram,
  extentsOf: ExtentsOf,
  inputNames: readonly string[],
  outputNames: readonly string[],
): Translated {
  const graph = new Graph(inputNames[0]);
  const values = new Map<Variable, Value>();
  const uses = usesIn(program.equations, program.outputs);
  const given = program.inputs.slice(constants.length);
  program.inputs.slice(0, constants.length).forEach((input, at) => {
    values.set(input, constantValue(graph, constants[at]));
  });
  given.forEach((input, at) => {
    const { dtype } = input.type;
    values.set(
      input,
      valueOf({ dtype, shape: extentsOf(input) }, () => inputNames[at]),
    );
  });
  const valueAt = (atom: Atom): Value => {
    if (atom.kind === "variable")
      return values.get(atom) ?? fail(operation, "a value is used before it is made");
    const { dtype } = atom.type;
    return valueOf({ dtype, shape: [] }, () => graph.scalar(atom.value, dtype));
  };
  for (const equation of program.equations) {
    const { outputs, inputs } = equation;
    const shapes = outputs.map(extentsOf);
    const operands = inputs.map(valueAt);
    const known = folded(equation, operands, shapes);
    if (known !== null) {
      known.forEach((value, at) => values.set(outputs[at], constantValue(graph, value)));
      continue;
    }
    const { name } = equation.primitive;
    const rule = rules[name];
    if (rule === undefined || outputs.length !== 1) {
      fail(
        operation,
        `the policy computes with \`${name}\`, which has no counterpart in our ONNX files; export it as js or ` +
          `safetensors, or build the network from other operations (ours are ${Object.keys(rules).join(", ")})`,
      );
    }
    const made = rule({
      graph,
      equation,
      inputs: operands,
      shape: shapes[0],
      isOnlyUse: (at) => isVariable(inputs[at]) && uses.get(inputs[at]) === 1,
      refuse: (why) =>
        fail(
          operation,
          `the policy's \`${name}\` cannot be said in ONNX: ${why}; export it as js or safetensors`,
        ),
    });
    values.set(outputs[0], made);
  }
  const results = program.outputs.map((atom) => whole(graph, valueAt(atom)));
  graph.nameOutputs(results, outputNames);
  return {
    graph,
    inputs: given.map(extentsOf),
    outputs: program.outputs.map((atom) => (atom.kind === "variable" ? extentsOf(atom) : [])),
  };
}

const isVariable = (atom: Atom): atom is Variable => atom.kind === "variable";

/** How often each variable is read. */
function usesIn(equations: readonly Equation[], outputs: readonly Atom[]): ReadonlyMap<Variable, number> {
  const uses = new Map<Variable, number>();
  for (const atom of [...equations.flatMap(({ inputs }) => inputs), ...outputs]) {
    if (isVariable(atom)) uses.set(atom, (uses.get(atom) ?? 0) + 1);
  }
  return uses;
}

const constantValue = (graph: Graph, constant: Concrete): Value =>
  valueOf({ dtype: constant.dtype, shape: constant.shape, constant }, () => graph.array(constant));

/** The results of an equation on constants alone, unless they depend on the batch or only repeat what is known. */
function folded(
  { primitive, inputs, params, outputs }: Equation,
  operands: readonly Value[],
  shapes: readonly (readonly Extent[])[],
): Concrete[] | null {
  const isFixed = shapes.every((shape) => shape.every((extent) => typeof extent === "number"));
  const known = inputs.map((atom, at) => {
    if (atom.kind === "literal") return scalarOf(atom);
    const { constant, shape } = operands[at];
    return constant !== null && constant.ndim === shape.length ? constant : null;
  });
  if (!isFixed || primitive.name === "broadcast" || known.includes(null)) return null;
  const types = outputs.map(({ type }) => type);
  const results = primitive.evaluate(known as Concrete[], params, types);
  return types.map((type, at) => concrete(type, results[at]));
}

function scalarOf({ type, value }: Extract<Atom, { readonly kind: "literal" }>): Concrete {
  const elements = viewBytes(type.dtype, new ArrayBuffer(itemSize(type.dtype)), 0, 1);
  elements[0] = value;
  return concrete(type, elements);
}
