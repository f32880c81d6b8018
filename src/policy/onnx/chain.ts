// The way from observations to actions through a graph, as a chain of steps: each takes the result of the one before it,
// and constants.
import type { Attribute, OnnxModel, OnnxNode, OnnxTensor } from "./model.js";

/** One operation of the chain. */
export interface Step {
  readonly op: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Its operands; `null` is the result of the step before. */
  readonly operands: readonly (OnnxTensor | null)[];
}

export type Refuse = (what: string) => never;

/** What outputs that are actions, or what actions come from, are called; the first that is there counts. */
const outputNames = ["action", "actions", "logits", "q_values", "mean", "output"];

/** The output to read: the one by that name, or the one that looks like actions. */
export function chosenOutput(model: OnnxModel, asked: string | undefined, refuse: Refuse): string {
  const names = model.outputs.map(({ name }) => name);
  if (asked !== undefined) {
    return names.includes(asked) ? asked : refuse(`it has no output ${asked}; it has ${names.join(", ")}`);
  }
  return outputNames.find((name) => names.includes(name)) ?? names[0] ?? refuse("it has no outputs");
}

/** The steps from the input to an output, and the input's name. */
export function chainOf(
  model: OnnxModel,
  output: string,
  refuse: Refuse,
): { readonly input: string; readonly steps: readonly Step[] } {
  const constants = constantsOf(model);
  const makers = new Map(model.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const inputs = new Set(model.inputs.map(({ name }) => name).filter((name) => !constants.has(name)));
  const steps: Step[] = [];
  let name = output;
  while (!inputs.has(name)) {
    const node = makers.get(name);
    if (node === undefined) return refuse(`nothing makes ${name}`);
    const { data, operands } = takenApart(node, constants, dueling(node, makers, constants), refuse);
    const { op, attributes } = node;
    steps.unshift({ op: data.op ?? op, attributes, operands });
    name = data.name;
  }
  return { input: name, steps };
}

/** Constants by name: initialisers, `Constant` nodes, and copies of either. */
function constantsOf(model: OnnxModel): ReadonlyMap<string, OnnxTensor> {
  const constants = new Map(model.initializers.map((tensor) => [tensor.name, tensor]));
  for (const { op, inputs, outputs, attributes } of model.nodes) {
    const known = op === "Identity" ? constants.get(inputs[0]) : valueOf(op, attributes);
    if (known !== undefined) constants.set(outputs[0], known);
  }
  return constants;
}

function valueOf(op: string, { value, value_float: one }: OnnxNode["attributes"]): OnnxTensor | undefined {
  if (op !== "Constant") return undefined;
  if (typeof value === "object" && "tensor" in value) return value.tensor;
  if (typeof one === "object" && "float" in one) {
    return { name: "", type: "float32", shape: [], elements: [one.float] };
  }
  return undefined;
}

/** The one operand of a node that is no constant, and all of them. */
function takenApart(
  { op, name, inputs }: OnnxNode,
  constants: ReadonlyMap<string, OnnxTensor>,
  joinedAt: string | null,
  refuse: Refuse,
): { readonly data: { readonly name: string; readonly op?: string }; readonly operands: Step["operands"] } {
  if (joinedAt !== null) return { data: { name: joinedAt, op: "Dueling" }, operands: [null] };
  const given = inputs.filter((input) => input !== "");
  const open = [...new Set(given.filter((input) => !constants.has(input)))];
  if (open.length !== 1) {
    return refuse(
      `${name === "" ? op : name} (${op}) takes ${open.length} results (${open.join(", ")}); a chain of layers is ` +
        "read, each of which takes the one before it",
    );
  }
  return {
    data: { name: open[0] },
    operands: inputs.map((input) => (input === open[0] ? null : (constants.get(input) ?? null))),
  };
}

/** Where the two streams of a dueling network part, if this is where they meet: value + advantage − its mean. */
function dueling(
  node: OnnxNode,
  makers: ReadonlyMap<string, OnnxNode>,
  constants: ReadonlyMap<string, OnnxTensor>,
): string | null {
  const ops: string[] = [];
  const roots = new Set<string>();
  const follow = (name: string, depth: number): void => {
    const maker = makers.get(name);
    if (maker === undefined || depth > 5 || maker.op === "Gemm" || maker.op === "MatMul") {
      roots.add(name);
      return;
    }
    ops.push(maker.op);
    maker.inputs.filter((input) => !constants.has(input)).forEach((input) => follow(input, depth + 1));
  };
  if (node.op !== "Add" || node.inputs.some((input) => constants.has(input))) return null;
  node.inputs.forEach((input) => follow(input, 0));
  const isKnown = [...new Set(ops)].sort().join() === "Div,ReduceSum,Reshape,Slice,Sub";
  const [root] = roots;
  return isKnown && roots.size === 1 && root !== undefined ? root : null;
}
