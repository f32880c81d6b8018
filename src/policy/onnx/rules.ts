// How the primitives of the array language read in ONNX: one rule each. A primitive without one is refused by name.
import type {
  ArgReduceParams,
  Concrete,
  ConvertParams,
  DotParams,
  Equation,
  PadParams,
  ReduceParams,
  SliceParams,
} from "../../array/index.js";
import type { Extent } from "./extents.js";
import type { Graph } from "./graph.js";
import { elementTypes } from "./model.js";
import { bothBounds, biased, lowerBound, productOf, windowOf } from "./patterns.js";
import { valueOf, whole, type Value } from "./values.js";

export interface Application {
  readonly graph: Graph;
  readonly equation: Equation;
  readonly inputs: readonly Value[];
  /** The extents of the result. */
  readonly shape: readonly Extent[];
  /** Whether an operand is read nowhere else, so that it may become a part of this. */
  readonly isOnlyUse: (input: number) => boolean;
  readonly refuse: (why: string) => never;
}

export type OnnxRule = (application: Application) => Value;

/** The result of an operation on whole tensors. */
const result = ({ equation, shape }: Application, write: () => string): Value =>
  valueOf({ dtype: equation.outputs[0].type.dtype, shape }, write);

/** An operation on whole tensors whose name is all there is to say. */
const node =
  (
    op: string,
    attributes: (application: Application) => Parameters<Graph["add"]>[2] = () => ({}),
  ): OnnxRule =>
  (application) =>
    result(application, () =>
      application.graph.add(
        op,
        application.inputs.map((input) => whole(application.graph, input)),
        attributes(application),
      ),
    );

/** Element by element: operands may stay as they are, for ONNX broadcasts them. */
export const elementwise =
  (write: (graph: Graph, operands: readonly string[], application: Application) => string): OnnxRule =>
  (application) => {
    const { graph, equation, inputs, shape } = application;
    const shaped = inputs.filter((input) => input.shape.length > 0);
    const channelsFirst = shaped.length === 1 && shaped[0].channelsFirst;
    const operands = inputs.map((input) =>
      input.channelsFirst && !channelsFirst ? onlyWhole(graph, input) : input,
    );
    const actual = shape.map(
      (_, axis) =>
        operands.find((input) => input.shape.length > 0 && input.actual[axis] !== 1)?.actual[axis] ?? 1,
    );
    const rank = Math.max(0, ...operands.map((input) => input.rank));
    return valueOf({ dtype: equation.outputs[0].type.dtype, shape, actual, rank, channelsFirst }, () =>
      write(
        graph,
        operands.map((input) => input.name()),
        application,
      ),
    );
  };

const onlyWhole = (graph: Graph, input: Value): Value =>
  valueOf({ dtype: input.dtype, shape: input.shape }, () => whole(graph, input));

const plain = (op: string): OnnxRule => elementwise((graph, operands) => graph.add(op, operands));

/** Logic that ONNX has for truth values alone. */
const logic =
  (op: string): OnnxRule =>
  (application) =>
    application.inputs[0].dtype === "bool"
      ? plain(op)(application)
      : application.refuse("it works on the bits of numbers there");

const one = (graph: Graph, { equation }: Application): string =>
  graph.scalar(1, equation.outputs[0].type.dtype);

/** The operand itself. */
const identity: OnnxRule = ({ inputs }) => inputs[0];

const numbersIn = (extents: readonly Extent[]): number[] =>
  extents.map((extent) => (typeof extent === "number" ? extent : -1));

const reshape: OnnxRule = (application) => {
  const { graph, inputs, shape, refuse } = application;
  const target = numbersIn(shape);
  if (target.filter((extent) => extent < 0).length > 1) refuse("two axes depend on the batch");
  return result(application, () => graph.add("Reshape", [whole(graph, inputs[0]), graph.wholes(target)]));
};

const broadcast: OnnxRule = (application) => {
  const { graph, equation, inputs, shape } = application;
  const [x] = inputs;
  const { axes } = equation.params as { readonly axes: readonly number[] };
  const fresh = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const isBehind = fresh.every((axis) => axes.every((own) => axis < own));
  const actual = shape.map((_, axis) => (axes.includes(axis) ? x.actual[axes.indexOf(axis)] : 1));
  const parts = { dtype: x.dtype, shape, actual };
  if (x.channelsFirst) return broadcast({ ...application, inputs: [onlyWhole(graph, x)] });
  if (isBehind && x.rank === x.shape.length)
    return valueOf({ ...parts, rank: x.rank, constant: lent(x) }, x.name);
  return valueOf(parts, () => graph.add("Unsqueeze", [whole(graph, x), graph.wholes(fresh)]));
};

/** The elements of what is broadcast along axes in front: a bias still is one. */
const lent = ({ constant }: Value): Concrete | null => constant;

const slice: OnnxRule = (application) => {
  const { graph, equation, inputs, refuse } = application;
  const { start, limit, step } = equation.params as SliceParams;
  const [x] = inputs;
  const own = equation.inputs[0].type.shape;
  const cut = start
    .map((_, axis) => axis)
    .filter((axis) => start[axis] !== 0 || limit[axis] !== own[axis] || step[axis] !== 1);
  if (cut.some((axis) => typeof x.shape[axis] !== "number")) refuse("it takes a part of the batch");
  const along = (numbers: readonly number[]) => graph.wholes(cut.map((axis) => numbers[axis]));
  return result(application, () =>
    graph.add("Slice", [whole(graph, x), along(start), along(limit), graph.wholes(cut), along(step)]),
  );
};

const pad: OnnxRule = (application) => {
  const { graph, equation, inputs, refuse } = application;
  const { low, high, interior } = equation.params as PadParams;
  if (interior.some((by) => by !== 0)) refuse("it puts elements between others");
  return result(application, () =>
    graph.add("Pad", [whole(graph, inputs[0]), graph.wholes([...low, ...high]), inputs[1].name()]),
  );
};

/** Sums of products over any axes, as an equation of letters. */
const dot: OnnxRule = (application) => {
  const { graph, equation, inputs } = application;
  const product = productOf(application);
  if (product !== null) return product;
  const { contract, batch } = equation.params as DotParams;
  const letters = "abcdefghijklmnopqrstuvwxyz";
  let next = 0;
  const sides = inputs.map(({ shape }) => shape.map(() => ""));
  const pair = (left: number, right: number) => {
    sides[0][left] = sides[1][right] = letters[next++];
    return sides[0][left];
  };
  const together = batch[0].map((axis, at) => pair(axis, batch[1][at]));
  contract[0].forEach((axis, at) => pair(axis, contract[1][at]));
  const free = sides.map((side) =>
    side.flatMap((letter, axis) => (letter === "" ? [(side[axis] = letters[next++])] : [])),
  );
  const [left, right] = sides.map((side) => side.join(""));
  const equationText = `${left},${right}->${[...together, ...free.flat()].join("")}`;
  return node("Einsum", () => ({ equation: equationText }))({ ...application, inputs, graph });
};

const reduceSum: OnnxRule = (application) => {
  const { graph, equation, inputs } = application;
  const { axes } = equation.params as ReduceParams;
  return result(application, () =>
    graph.add("ReduceSum", [whole(graph, inputs[0]), graph.wholes(axes)], { keepdims: 0 }),
  );
};

const reduceExtreme = (op: string): OnnxRule =>
  node(op, ({ equation }) => ({ axes: (equation.params as ReduceParams).axes, keepdims: 0 }));

/** ONNX counts in int64. */
const argExtreme =
  (op: string): OnnxRule =>
  (application) =>
    result(application, () => {
      const { graph, equation, inputs } = application;
      const { axis } = equation.params as ArgReduceParams;
      const found = graph.add(op, [whole(graph, inputs[0])], { axis, keepdims: 0 });
      return graph.add("Cast", [found], { to: elementTypes.int32 });
    });

const flip: OnnxRule = (application) => {
  const { graph, equation, inputs } = application;
  const { axes } = equation.params as { readonly axes: readonly number[] };
  const all = (value: number) => graph.wholes(axes.map(() => value));
  // From the last element to before the first.
  return result(application, () =>
    graph.add("Slice", [whole(graph, inputs[0]), all(-1), all(-(2 ** 31)), graph.wholes(axes), all(-1)]),
  );
};

const logaddexp: OnnxRule = elementwise((graph, [x, y], application) => {
  const [, other] = application.equation.inputs;
  if (other.kind === "literal" && other.value === 0) return graph.add("Softplus", [x]);
  // max + log(1 + exp(−|x − y|)), which does not overflow.
  const apart = graph.add("Neg", [graph.add("Abs", [graph.add("Sub", [x, y])])]);
  const rest = graph.add("Log", [graph.add("Add", [graph.add("Exp", [apart]), one(graph, application)])]);
  return graph.add("Add", [graph.add("Max", [x, y]), rest]);
});

export const rules: Readonly<Record<string, OnnxRule>> = {
  neg: plain("Neg"),
  add: (application) => biased(application) ?? plain("Add")(application),
  sub: plain("Sub"),
  mul: plain("Mul"),
  div: plain("Div"),
  fma: elementwise((graph, [x, y, z]) => graph.add("Add", [graph.add("Mul", [x, y]), z])),
  rem: elementwise((graph, operands) => graph.add("Mod", operands, { fmod: 1 })),
  pow: plain("Pow"),
  max: (application) => lowerBound(application, plain("Max")(application)),
  min: (application) => bothBounds(application) ?? plain("Min")(application),
  relu: plain("Relu"),
  abs: plain("Abs"),
  sign: plain("Sign"),
  floor: plain("Floor"),
  ceil: plain("Ceil"),
  round: plain("Round"),
  trunc: elementwise((graph, [x]) =>
    graph.add("Mul", [graph.add("Sign", [x]), graph.add("Floor", [graph.add("Abs", [x])])]),
  ),
  exp: plain("Exp"),
  expm1: elementwise((graph, [x], application) =>
    graph.add("Sub", [graph.add("Exp", [x]), one(graph, application)]),
  ),
  log: plain("Log"),
  log1p: elementwise((graph, [x], application) =>
    graph.add("Log", [graph.add("Add", [x, one(graph, application)])]),
  ),
  sqrt: plain("Sqrt"),
  sin: plain("Sin"),
  cos: plain("Cos"),
  tanh: plain("Tanh"),
  logistic: plain("Sigmoid"),
  erf: plain("Erf"),
  logaddexp,
  equal: plain("Equal"),
  notEqual: elementwise((graph, operands) => graph.add("Not", [graph.add("Equal", operands)])),
  less: plain("Less"),
  lessEqual: plain("LessOrEqual"),
  and: logic("And"),
  or: logic("Or"),
  xor: logic("Xor"),
  not: logic("Not"),
  select: plain("Where"),
  convert: elementwise((graph, operands, { equation }) =>
    graph.add("Cast", operands, { to: elementTypes[(equation.params as ConvertParams).dtype] }),
  ),
  stopGradient: identity,
  shardingConstraint: identity,
  // Where it does not depend on the batch it is a constant.
  iota: ({ refuse }) => refuse("it counts the observations; give batch, a number of them"),
  broadcast,
  reshape,
  transpose: node("Transpose", ({ equation }) => ({
    perm: (equation.params as { readonly permutation: readonly number[] }).permutation,
  })),
  flip,
  slice,
  pad,
  concatenate: node("Concat", ({ equation }) => ({
    axis: (equation.params as { readonly axis: number }).axis,
  })),
  window: windowOf,
  dot,
  reduceSum,
  reduceMax: reduceExtreme("ReduceMax"),
  reduceMin: reduceExtreme("ReduceMin"),
  argMax: argExtreme("ArgMax"),
  argMin: argExtreme("ArgMin"),
};
